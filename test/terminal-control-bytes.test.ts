import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import commandTable from '../src/cli/commands.json' with { type: 'json' };
import { printable } from '../src/cli/printable.ts';
import { isCi, isProof, sampleSeeded } from '../testkit/sample.ts';
import { openAiChunk, startWireServer, type WireServer } from './support/models/wire-server.ts';
import { keys, type TerminalStep } from './support/terminal/drive-terminal.ts';
import { hostileCommands } from './support/terminal/hostile-commands.ts';
import { aHostileProject } from './support/terminal/hostile-project.ts';
import { foreignControls, hostileText, hostileTexts } from './support/terminal/hostile-text.ts';

/** Debian and macOS have it; where it is missing nobody can sit at a terminal. */
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
/** Each has other texts in it. */
const rounds = isProof ? [1, 2, 3] : [1];
const sampleSize = 16;

let model: WireServer;

beforeAll(async () => {
  model = await startWireServer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 1; at < 20; at += 1) response.write(openAiChunk(hostileText(at)));
    response.end('data: [DONE]\n\n');
  });
});

afterAll(() => model.close());

it('every action of every command has a case here', () => {
  const cases = hostileCommands(hostileTexts(1));
  expect(commandTable.flatMap((command) => missingCases(command, cases))).toEqual([]);
});

interface Described {
  readonly name: string;
  readonly notes?: readonly string[];
}

/** The notes of a command list its actions, each with its arguments and what it does in a second column. */
function missingCases({ name, notes = [] }: Described, all: ReturnType<typeof hostileCommands>) {
  const cases = all[name] ?? [];
  const actions = notes
    .map((note) => note.trim().split(/ {2,}/))
    .filter((columns) => columns.length > 1)
    .flatMap(([column = '']) => column.split(', ').map((action) => action.split(' ', 1).join('')));
  // What a command does without words is its first action.
  const missing = actions
    .slice(1)
    .filter((action) => cases.every(({ argv }) => argv[1] !== action));
  return cases.length === 0 ? [name] : missing.map((action) => `${name} ${action}`);
}

const no = [{ type: 'n\r' }, { type: 'n\r' }] as const;
const prompt = { see: 'tutti>' } as const;
const line = (text: string): readonly TerminalStep[] => [prompt, { type: `${text}\r` }];

describe.skipIf(!hasPython && !isCi).each(rounds)('at a real terminal, round %i', (round) => {
  const texts = hostileTexts(round);
  let project: Awaited<ReturnType<typeof aHostileProject>>;

  beforeAll(async () => {
    project = await aHostileProject({ texts, modelUrl: model.url });
  });

  afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

  const cases = sampleSeeded(Object.values(hostileCommands(texts)).flat(), sampleSize);
  // Others' text in the name of a test would reach the terminal of those who run it.
  it.each(cases.map((one) => [printable(one.argv.join(' ')), one] as const))(
    'nothing but newlines, tabs and our own colours comes from others: tutti %s',
    { timeout: 60_000 },
    async (_line, { argv, steps = no }) => {
      const { screen, missed } = await project.sit(argv, steps);
      expect(missed, screen).toBeNull();
      expect(screen).not.toBe('');
      expect(foreignControls(screen)).toEqual([]);
    },
  );

  it('nothing else comes in a chat either', { timeout: 60_000 }, async () => {
    const { screen, missed } = await project.sit(
      ['chat'],
      [
        ...line('/tools'),
        ...line('/tools evil.say'),
        ...line('/servers'),
        ...line('/models'),
        ...line('/nothing'),
        ...line('what is this?'),
        prompt,
        { type: '@pa' },
        { see: '@pa' },
        { type: keys.tab },
        { see: 'ge.md' },
        { type: `\u0015/attach page.md ${keys.pasted('x\u009B2Jy\u202E\u200B')}\r` },
        prompt,
        { type: keys.ctrlD },
      ],
    );
    expect(missed, screen).toBeNull();
    expect(foreignControls(screen, true)).toEqual([]);
  });

  it('waits, approvals and the steps of a run are shown without', { timeout: 60_000 }, async () => {
    const waiting = await project.sit(
      ['run', 'waits.plan.json'],
      [{ see: 'Approve?' }, { type: 'n\r' }],
    );
    expect(foreignControls(waiting.screen)).toEqual([]);
    expect(waiting.missed, waiting.screen).toBeNull();
    expect(waiting.screen).toContain('\\u');
  });
});
