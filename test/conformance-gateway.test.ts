import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import expected from './data/conformance-gateway.json' with { type: 'json' };
import list from './data/conformance-scenarios.json' with { type: 'json' };
import {
  isProblem,
  isTested,
  runnerScenarios,
  runScenario,
  runVersion,
  type Check,
} from './support/run-conformance.ts';
import { aFolder, startTutti, untilEnd } from './support/run-tutti.ts';
import { sampleSeeded } from '../testkit/sample.ts';
import {
  fixtureProgram,
  startFixture,
  type FixtureEra,
} from './support/start-conformance-fixture.ts';

type Transport = 'stdio' | 'http';

interface Way {
  readonly client: string;
  readonly upstream: FixtureEra;
  readonly transport: Transport;
}

interface Outcome {
  readonly passing: string[];
  readonly problems: Readonly<Record<string, readonly string[]>>;
  readonly untested: string[];
}

const limitMs = 150_000;
/** Runner processes at a time; each waits most of its time. */
const atOnce = 3;
const sampledScenarios = 3;

const ways = expected.runs.flatMap((run) =>
  (['stdio', 'http'] as const).map((transport) => ({
    ...run,
    upstream: run.upstream as FixtureEra,
    transport,
  })),
);
const untested = expected.untested.map(({ scenario }) => scenario);
const isOfTasks = (name: string): boolean => name.startsWith('tasks-');

/** The product with the fixture as its only server, so that names stay as they are. */
async function serveFixture({ upstream, transport }: Way): Promise<string> {
  const folder = aFolder();
  const entry =
    transport === 'http' ? { url: await startFixture(upstream) } : fixtureProgram(upstream);
  mkdirSync(join(folder, 'config', 'tutti'), { recursive: true });
  const settings = JSON.stringify({ mcpServers: { fixture: entry } });
  writeFileSync(join(folder, 'config', 'tutti', 'config.yaml'), settings);
  // The runner sends no token.
  const env = {
    XDG_CONFIG_HOME: join(folder, 'config'),
    TUTTI_SERVER_REQUIRE_TOKEN: 'false',
    // The scenarios add tools to a server and look for them.
    TUTTI_SERVERS_ON_TOOL_CHANGE: 'warn',
  };
  const tutti = startTutti(['serve', '--port', '0', '--only', 'fixture'], { cwd: folder, env });
  const ended = untilEnd(tutti).then(({ stderr }) => Promise.reject(new Error(stderr)));
  const [line] = await Promise.race([once(tutti.stdout, 'data'), ended]);
  const url = `${String(line).replace('listening on ', '').trim()}/mcp`;
  await untilListed(url);
  return url;
}

/** What is offered is known from the first list on. */
async function untilListed(url: string): Promise<void> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const post = (message: object, headers: object = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  const greeted = await post({ method: 'initialize', params });
  const session = { 'mcp-session-id': greeted.headers.get('mcp-session-id') ?? '' };
  const listed = await post({ method: 'tools/list', params: {} }, session);
  expect(await listed.text()).toContain('"test_simple_text"');
}

describe('the official conformance runner, through the gateway', () => {
  it('has no scenario of an extension that our list does not judge', async () => {
    const judged = [...expected.tasks.passing, ...untested];
    const offered = await runnerScenarios('extension');
    expect(offered.filter((name) => !judged.includes(name))).toEqual([]);
    expect(offered.filter(isOfTasks)).toHaveLength(10);
  });

  it.each(['handshake', 'stateless'] as const)(
    'finds nothing wrong with the fixture itself in the %s era',
    async (era) => {
      const version = era === 'handshake' ? '2025-11-25' : '2026-07-28';
      const found = await runVersion(await startFixture(era), version);
      expect(found.size).toBe(scenariosOf(version).length);
      expect([...found.values()].flat().filter(isProblem)).toEqual([]);
    },
    limitMs,
  );

  it.each(ways)(
    'speaks $client to a server of the $upstream era over $transport: $passing scenarios pass',
    async (way) => {
      const { client, upstream, passing } = way;
      const excused = expected.expectedProblems
        .filter((it) => it.client === client && it.upstream === upstream)
        .map(({ scenario, checks }) => [scenario, checks] as const);
      const known = Object.fromEntries(excused);
      const all = scenariosOf(client);
      const isGood = (name: string): boolean => !(name in known) && !untested.includes(name);
      expect(all.filter(isGood)).toHaveLength(passing);
      const names = isCostly(way) ? [...all.filter(asks), ...someOf(all)] : all;
      const outcome = await judge(names, await runnerFor(way), known);
      expect(outcome.problems).toEqual(known);
      expect(outcome.passing).toEqual(names.filter(isGood));
    },
    limitMs,
  );

  it.each(['stdio', 'http'] as const)(
    'finds tasks passed through from end to end over %s',
    async (transport) => {
      const way = { client: '2026-07-28', upstream: 'stateless', transport } as const;
      const url = await serveFixture(way);
      const names = (await runnerScenarios('extension')).filter(isOfTasks);
      const outcome = await judge(names, (name) => runScenario(url, name), {});
      expect(outcome.problems).toEqual({});
      expect(outcome.passing.toSorted()).toEqual(expected.tasks.passing.toSorted());
      expect(untested).toEqual(expect.arrayContaining(outcome.untested));
    },
    limitMs,
  );
});

type Run = (name: string, isRepeated: boolean) => Promise<readonly Check[]>;

/**
 * Runs the scenarios of a version at once. Only where a server of the handshake era asks over a pipe
 * does each that asks get a gateway of its own: the runner leaves questions unanswered, and until
 * they are, no other client can be asked, since such questions do not say whom they are for.
 */
async function runnerFor(way: Way): Promise<Run> {
  const { client } = way;
  const url = await serveFixture(way);
  if (isCostly(way)) {
    return async (name) => runScenario(asks(name) ? await serveFixture(way) : url, name, client);
  }
  const found = await runVersion(url, client);
  return async (name, isRepeated) =>
    isRepeated ? runScenario(url, name, client) : (found.get(name) ?? []);
}

function isCostly({ client, upstream, transport }: Way): boolean {
  return transport === 'stdio' && upstream === 'handshake' && client === '2026-07-28';
}

function asks(name: string): boolean {
  return name.startsWith('input-required-') || name === 'server-stateless';
}

/** Of what asks nothing, a sample where each has to be started by itself. */
function someOf(names: readonly string[]): string[] {
  return sampleSeeded(
    names.filter((name) => !asks(name)),
    sampledScenarios,
  );
}

function scenariosOf(version: string): string[] {
  return list.scenarios.filter((it) => it.versions.includes(version)).map(({ name }) => name);
}

/**
 * What came of each scenario. One that shows a problem not known is run once more by itself: the runner's own
 * waits are half a second, which a busy machine exceeds.
 */
async function judge(
  names: readonly string[],
  run: Run,
  known: Outcome['problems'],
): Promise<Outcome> {
  const found = new Map<string, readonly Check[]>();
  const waiting = [...names];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const first = await run(name, false);
      const isAsKnown = String(problemsIn(first)) === String(known[name] ?? []);
      found.set(name, isAsKnown ? first : await run(name, true));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const problems = names.flatMap((name) => {
    const ids = problemsIn(found.get(name) ?? []);
    return ids.length === 0 ? [] : [[name, ids] as const];
  });
  const failed = new Set(problems.map(([name]) => name));
  const fine = names.filter((name) => !failed.has(name));
  return {
    problems: Object.fromEntries(problems),
    passing: fine.filter((name) => isTested(found.get(name) ?? [])),
    untested: fine.filter((name) => !isTested(found.get(name) ?? [])),
  };
}

function problemsIn(checks: readonly Check[]): string[] {
  return [...new Set(checks.filter(isProblem).map(({ id }) => id))].toSorted();
}
