import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { McpServer } from '../src/contract/server/index.ts';
import { createHttpGateway } from '../src/gateway/index.ts';
import type { Listener } from '../src/http/index.ts';
import { createConformanceServer } from '../testkit/gateway/conformance-server.ts';
import { FixtureServer } from '../testkit/gateway/fixture-server.ts';
import { sharedSessions } from '../testkit/gateway/memory-client-sessions.ts';
import { silentLog } from '../src/kernel/index.ts';
import list from './data/conformance-scenarios.json' with { type: 'json' };
import { isProblem, runnerScenarios, runVersion, type Check } from './support/run-conformance.ts';

interface Scenario {
  readonly name: string;
  readonly versions: readonly string[];
  readonly needs: string;
  /** Checks that fail or warn on a server without the runner's fixtures. */
  readonly fixtureChecks?: readonly string[];
}

const scenarios: readonly Scenario[] = list.scenarios;
const versions = ['2025-11-25', '2026-07-28'] as const;
const gateways: Listener[] = [];

async function serve(server: McpServer): Promise<string> {
  const gateway = await createHttpGateway({
    sessions: sharedSessions(),
    server,
    log: silentLog,
    version: '0',
    host: '127.0.0.1',
    port: 0,
  });
  gateways.push(gateway);
  return `${gateway.url}/mcp`;
}

/** The product itself, as a child process with a home of its own. */
async function serveTutti(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'conformance-home-'));
  const args = ['src/cli/start.ts', 'serve', '--port', '0', '--home', home];
  // The runner sends no token.
  const env = { ...process.env, TUTTI_SERVER_REQUIRE_TOKEN: 'false' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
    await rm(home, { recursive: true });
  });
  const [line] = await once(child.stdout, 'data');
  return `${/http:\S+/.exec(String(line))?.[0]}/mcp`;
}

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
});

/** Whom to run scenarios against: anything that gives the address of a running server. */
const targets = [
  { name: 'any server', needs: 'nothing', start: () => serve(new FixtureServer()) },
  { name: 'tutti serve', needs: 'nothing', start: serveTutti },
  {
    name: 'a server with fixtures',
    needs: 'fixture',
    start: () => serve(createConformanceServer()),
  },
] as const;

describe('the official conformance runner', () => {
  it('has no server scenario that our list does not judge', async () => {
    const known = scenarios.map((scenario) => scenario.name);
    const offered = await Promise.all(versions.map(runnerScenarios));
    expect(new Set(offered.flat())).toEqual(new Set(known));
    expect(new Set(known).size).toBe(known.length);
  });

  describe.each(targets)('against $name', ({ needs, start }) => {
    describe.each(versions)('speaking %s', (version) => {
      it('finds nothing wrong', async () => {
        const chosen = scenarios.filter(
          (scenario) => scenario.needs === needs && scenario.versions.includes(version),
        );
        const found = await runVersion(await start(), version);
        expect(chosen.length).toBeGreaterThan(8);
        const problems = chosen.flatMap((scenario) =>
          problemsOf(scenario, found.get(scenario.name) ?? []),
        );
        expect(problems).toEqual([]);
      });
    });
  });

  it('finds nothing wrong with the stateless era once its tools exist', async () => {
    const found = await runVersion(await serve(createConformanceServer()), '2026-07-28');
    const checks = found.get('server-stateless') ?? [];
    expect(checks.some((check) => check.status === 'SUCCESS')).toBe(true);
    expect(checks.filter(isProblem)).toEqual([]);
  });
});

function problemsOf(scenario: Scenario, checks: readonly Check[]): string[] {
  const { name, fixtureChecks = [] } = scenario;
  if (!checks.some((check) => check.status === 'SUCCESS')) return [`${name}: nothing was checked`];
  return checks
    .filter((check) => isProblem(check) && !fixtureChecks.includes(check.id))
    .map((check) => `${name}: ${check.id}: ${check.errorMessage}`);
}
