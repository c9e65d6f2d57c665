import { mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { Explanation } from '../src/contract/experience/index.ts';
import { openSystem, type System } from '../src/compose/index.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';

/** A whole system on an empty folder, with a project that has one file. */
async function withSystem<Result>(
  place: Place,
  work: (system: System) => Promise<Result>,
): Promise<Result> {
  const env = {
    HOME: place.home,
    TUTTI_HOME: join(place.home, 'data'),
    PATH: process.env['PATH'] ?? '',
  };
  const system = await openSystem({ env, cwd: place.project, flags: {} });
  try {
    return await work(system);
  } finally {
    await system.close();
  }
}

interface Place {
  readonly home: string;
  readonly project: string;
}

function aPlace(servers: object = {}): Place {
  const home = aDirectory();
  const project = join(home, 'project');
  mkdirSync(project);
  mkdirSync(join(home, '.config', 'tutti'), { recursive: true });
  writeFileSync(join(project, 'a.txt'), 'hello\n');
  configure({ home, project }, servers);
  return { home, project };
}

function configure({ home }: Place, mcpServers: object): void {
  const settings = { mcpServers, models: { autodetect: false } };
  writeFileSync(join(home, '.config', 'tutti', 'config.yaml'), JSON.stringify(settings));
}

const miniServer = resolve('test/data/experience/helpers/mini-server.mjs');

const readPlan = (path: string) => ({
  name: 'reads',
  steps: [{ id: 'read', tool: 'workspace.read_file', args: { path }, onFailure: 'repair' }],
});

async function run({ workflows }: System, plan: object) {
  const { runId } = await workflows.start(localCaller, {
    source: { kind: 'data', plan },
    input: {},
  });
  const signal = AbortSignal.timeout(30_000);
  return workflows.follow(localCaller, runId, { execute: true, signal });
}

const why = ({ experience }: System, runId: string): Promise<Explanation> =>
  experience.explain(localCaller, { kind: 'run', runId });

describe('steps of runs', () => {
  it('are repaired without a person once a fix is known, in another process too', async () => {
    const place = aPlace();
    await withSystem(place, async (system) => {
      const waiting = await run(system, readPlan('missing.txt'));
      expect(waiting).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'repair' }] });
      await system.workflows.repair(localCaller, waiting.runId, 'read', { path: 'a.txt' });
      const signal = AbortSignal.timeout(30_000);
      const done = await system.workflows.follow(localCaller, waiting.runId, {
        execute: true,
        signal,
      });
      expect(done.status).toBe('succeeded');
    });
    await withSystem(place, async (system) => {
      const done = await run(system, readPlan('missing.txt'));
      expect(done).toMatchObject({ status: 'succeeded', output: { read: { content: 'hello\n' } } });
      const { failure, suggestions } = await why(system, done.runId);
      expect(failure).toMatchObject({ step: 'read', curedBy: suggestions[0]?.fixId });
      expect(suggestions[0]).toMatchObject({
        changes: [{ path: 'path', before: '"missing.txt"', after: '"a.txt"' }],
        uses: 2,
        cures: 2,
      });
      // Other wrong arguments are none of its business.
      expect(await run(system, readPlan('other.txt'))).toMatchObject({ status: 'waiting' });
    });
  });

  it('of tools with effects are not corrected before a person approves the fix', async () => {
    const place = aPlace({ mini: { command: process.execPath, args: [miniServer] } });
    const plan = {
      name: 'sums',
      input: { b: { default: 'two' } },
      steps: [
        { id: 'sum', tool: 'mini.add', args: { a: 1, b: '${input.b}' }, onFailure: 'repair' },
      ],
    };
    await withSystem(place, async (system) => {
      const { workflows, experience } = system;
      const first = await run(system, plan);
      expect(first.waitingFor).toMatchObject([{ kind: 'repair' }]);
      await workflows.repair(localCaller, first.runId, 'sum', { a: 1, b: 2 });
      const signal = AbortSignal.timeout(30_000);
      const done = await workflows.follow(localCaller, first.runId, { execute: true, signal });
      expect(done.status).toBe('succeeded');
      const second = await run(system, plan);
      expect(second.waitingFor).toMatchObject([{ kind: 'repair' }]);
      const [suggestion] = (await why(system, second.runId)).suggestions;
      expect(suggestion).toMatchObject({ origin: 'learned', cures: 1, isApproved: false });
      await experience.approve(localCaller, suggestion?.fixId ?? '', true);
      expect(await run(system, plan)).toMatchObject({ status: 'succeeded' });
    });
  });
});

describe('steps of plans without a name, as those of the agent are', () => {
  const reading = (path: string) => ({
    steps: [{ id: 'read', tool: 'workspace.read_file', args: { path } }],
  });
  const cures = async ({ experience }: System): Promise<readonly boolean[]> => {
    const failures = await experience.failures(localCaller, 10);
    return failures.map(({ curedAt }) => curedAt !== null);
  };

  it('are cured by the same call in the same project, and by no other', async () => {
    const shop = aPlace();
    const bank = { ...shop, project: join(shop.home, 'bank') };
    mkdirSync(bank.project);
    writeFileSync(join(bank.project, 'late.txt'), 'there\n');
    await withSystem(shop, async (system) => {
      expect((await run(system, reading('late.txt'))).status).toBe('failed');
      expect((await run(system, reading('a.txt'))).status).toBe('succeeded');
      expect(await cures(system)).toEqual([false]);
    });
    await withSystem(bank, async (system) => {
      expect((await run(system, reading('late.txt'))).status).toBe('succeeded');
      expect(await cures(system)).toEqual([false]);
      const [failure] = await system.experience.failures(localCaller, 1);
      expect(failure?.folder).toBe(realpathSync(shop.project));
    });
    writeFileSync(join(shop.project, 'late.txt'), 'here\n');
    await withSystem(shop, async (system) => {
      expect((await run(system, reading('late.txt'))).status).toBe('succeeded');
      await expect.poll(() => cures(system), { timeout: 10_000 }).toEqual([true]);
    });
  });
});

describe('starts of servers', () => {
  it('that fail are recorded with what the server said, and cured by a corrected entry', async () => {
    const args = ['-e', 'console.error("no key"); process.exit(3)'];
    const place = aPlace({ broken: { command: process.execPath, args } });
    const failures = async ({ catalogue, experience }: System) => {
      await catalogue.entries();
      return experience.failures(localCaller, 1);
    };
    await withSystem(place, async (system) => {
      await expect
        .poll(() => failures(system), { timeout: 20_000 })
        .toMatchObject([
          {
            kind: 'server',
            subject: 'broken',
            family: 'mcp-server-exits',
            message: expect.stringContaining('no key'),
            curedAt: null,
          },
        ]);
    });
    configure(place, { broken: { command: process.execPath, args: [miniServer] } });
    await withSystem(place, async (system) => {
      await expect
        .poll(() => failures(system), { timeout: 20_000 })
        .toMatchObject([{ curedBy: expect.stringMatching(/^learned:/) }]);
      const [fix] = await system.experience.fixes(localCaller, 1);
      expect(fix).toMatchObject({ changes: [{ what: 'arguments', path: 'args' }], cures: 1 });
    });
  });
});

it('keeps no secret of an error or of arguments', async () => {
  const place = aPlace();
  const token = `ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)}`;
  await withSystem(place, async (system) => {
    await run(system, readPlan(`missing-${token}.txt`));
    expect(await system.experience.failures(localCaller, 5)).toHaveLength(1);
  });
  const folder = join(place.home, 'data');
  const database = readdirSync(folder).filter((name) => name.startsWith('tutti.db'));
  expect(database).not.toEqual([]);
  const failures = await withSystem(place, ({ experience }) => experience.failures(localCaller, 5));
  expect(JSON.stringify(failures)).not.toContain(token);
  expect(readFileSync(join(folder, 'tutti.db')).includes('failures')).toBe(true);
});
