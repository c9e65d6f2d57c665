import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { finish, LoopModel, nextRound, openEnded } from './support/agent-loop/loop-model.ts';
import { aFolder, runTutti, startTutti, untilEnd, type Ended } from './support/run-tutti.ts';
import { sampleSeeded } from '../testkit/sample.ts';

const model = new LoopModel();
beforeAll(() => model.start());
afterAll(() => model.stop());

const find = { id: 'find', tool: 'workspace.search_text', args: { query: 'one' } };
const check = { id: 'check', tool: 'workspace.read_file', args: { path: 'b.txt' } };
/** A patch that fits twice: a second time would show. */
const append = (path: string, line: string) => ({
  id: 'write',
  tool: 'workspace.apply_changes',
  args: { path, diff: `--- a/${path}\n+++ b/${path}\n@@ -1 +1,2 @@\n one\n+${line}\n` },
});
const script = {
  intent: openEnded('Append a line to both files', [find]),
  looks: [
    nextRound(append('a.txt', 'two')),
    nextRound(append('b.txt', 'three')),
    nextRound(check),
    finish('Both lines were added.'),
  ],
};
const rounds = 4;
const message = 'find the files that say one and append a line to each';

function aProject(): { readonly cwd: string; readonly env: Readonly<Record<string, string>> } {
  const cwd = aFolder();
  const scripted = { kind: 'openai', url: model.url, model: 'scripted', api_key: 'x' };
  // Effects are not asked about one by one, so that the whole task is one process.
  const settings = {
    models: { providers: { test: scripted }, autodetect: false },
    planning: { approval: 'plan' },
  };
  mkdirSync(join(cwd, 'config', 'tutti'), { recursive: true });
  writeFileSync(join(cwd, 'config', 'tutti', 'config.yaml'), JSON.stringify(settings));
  const project = join(cwd, 'project');
  mkdirSync(project);
  for (const path of ['a.txt', 'b.txt']) writeFileSync(join(project, path), 'one\n');
  return {
    cwd: project,
    env: { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), TUTTI_HOME: join(cwd, 'data') },
  };
}

type Place = ReturnType<typeof aProject>;

/** Goes on until there is an answer; a person who looks at the files settles what nobody else knows. */
async function goOn(place: Place): Promise<Ended> {
  for (let tries = 0; tries < 4; tries += 1) {
    const ended = await runTutti(['ask', '--session', 'last', '--yes', 'continue'], place);
    const [, run, step] = /tutti runs resolve (\S+) (\S+)/.exec(ended.stdout + ended.stderr) ?? [];
    if (run === undefined || step === undefined) return ended;
    const isThere = ['a', 'b'].filter((name) => read(place, `${name}.txt`) !== 'one\n').length;
    const shown = await runTutti(['runs', 'show', run, '--json'], place);
    const isSecond = shown.stdout.includes('b.txt');
    const verdict = isThere > (isSecond ? 1 : 0) ? '--happened' : '--not-happened';
    await runTutti(['runs', 'resolve', run, step, verdict], place);
  }
  throw new Error('the task never ended');
}

const read = ({ cwd }: Place, path: string): string => readFileSync(join(cwd, path), 'utf8');

async function runsOf(place: Place): Promise<number> {
  const { stdout } = await runTutti(['runs', 'list', '--json'], place);
  return z.array(z.looseObject({ status: z.literal('succeeded') })).parse(JSON.parse(stdout))
    .length;
}

/** Each save of the task, each turn of the session, and each moment of the first change. */
const faults = [
  ...Array.from({ length: 2 * rounds + 2 }, (_, index) => [
    `task.before-commit:${index + 1}`,
    `task.after-commit:${index + 1}`,
  ]).flat(),
  'session.after-commit:1',
  'session.before-commit:2',
  'session.after-commit:2',
  'engine.end.before:2',
  'engine.end.after:2',
  'effects.begin.before:1',
  'effects.begin.after:1',
  'effects.call.after:1',
  'effects.settle.after:1',
];

describe('a task whose process is killed', { timeout: 120_000 }, () => {
  it('ends as it should when nobody kills it', async () => {
    const place = aProject();
    model.play(script);
    const ended = await runTutti(['ask', '--yes', message], place);
    expect(ended.stdout).toMatch(
      /^Not verified: no tests ran after the last change\.\n\nBoth lines were added\.\n\nEvidence[^]*- 4 rounds/,
    );
    expect(ended.exitCode).toBe(0);
    expect([read(place, 'a.txt'), read(place, 'b.txt')]).toEqual(['one\ntwo\n', 'one\nthree\n']);
    expect(await runsOf(place)).toBe(rounds);
    expect(model.count('look')).toBe(rounds);
  });

  it.each(sampleSeeded(faults, 4))(
    'at %s goes on where it stood: no edit twice, none lost, no run started twice',
    async (fault) => {
      const place = aProject();
      model.play(script);
      const env = { ...place.env, TUTTI_FAULT: fault };
      const child = startTutti(['ask', '--yes', message], { ...place, env });
      child.stdin.end();
      const { exitCode } = await untilEnd(child);
      expect(exitCode).toBeNull();
      const ended = await goOn(place);
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(ended.stdout).toContain('Both lines were added.');
      expect([read(place, 'a.txt'), read(place, 'b.txt')]).toEqual(['one\ntwo\n', 'one\nthree\n']);
      expect(await runsOf(place)).toBe(rounds);
      // Only the answer that came when the process died can have been asked for again.
      expect(model.count('intent') + model.count('look')).toBeLessThanOrEqual(rounds + 2);
    },
  );
});
