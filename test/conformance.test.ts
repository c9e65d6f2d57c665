import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { McpServer } from '../src/contract/server/index.ts';
import { createHttpGateway, type HttpGateway } from '../src/gateway/index.ts';
import { createConformanceServer } from '../src/gateway/testing/conformance-server.ts';
import { FixtureServer } from '../src/gateway/testing/fixture-server.ts';
import { silentLog } from '../src/kernel/index.ts';
import list from './data/conformance-scenarios.json' with { type: 'json' };

interface Scenario {
  readonly name: string;
  readonly versions: readonly string[];
  readonly needs: string;
  /** Checks that fail or warn on a server without the runner's fixtures. */
  readonly fixtureChecks?: readonly string[];
  /** Checks that fail even with them. */
  readonly impossibleChecks?: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const scenarios: readonly Scenario[] = list.scenarios;
const versions = ['2025-11-25', '2026-07-28'] as const;
const gateways: HttpGateway[] = [];

async function serve(server: McpServer): Promise<string> {
  const gateway = await createHttpGateway({
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
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
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
    expect(await runnerScenarios()).toEqual(new Set(known));
    expect(new Set(known).size).toBe(known.length);
  });

  describe.each(targets)('against $name', ({ needs, start }) => {
    describe.each(versions)('speaking %s', (version) => {
      it('finds nothing wrong', async () => {
        const chosen = scenarios.filter(
          (scenario) => scenario.needs === needs && scenario.versions.includes(version),
        );
        const found = await run(await start(), version);
        expect(chosen.length).toBeGreaterThan(8);
        const problems = chosen.flatMap((scenario) =>
          problemsOf(scenario, found.get(scenario.name) ?? []),
        );
        expect(problems).toEqual([]);
      });
    });
  });

  it('finds nothing else wrong with the stateless era once its tools exist', async () => {
    const found = await run(await serve(createConformanceServer()), '2026-07-28');
    const scenario = scenarios.find(({ name }) => name === 'server-stateless');
    const problems = (found.get('server-stateless') ?? []).filter(isProblem);
    expect(problems.map((check) => check.id)).toEqual(scenario?.impossibleChecks);
  });
});

function problemsOf(scenario: Scenario, checks: readonly Check[]): string[] {
  const { name, fixtureChecks = [] } = scenario;
  if (!checks.some((check) => check.status === 'SUCCESS')) return [`${name}: nothing was checked`];
  return checks
    .filter((check) => isProblem(check) && !fixtureChecks.includes(check.id))
    .map((check) => `${name}: ${check.id}: ${check.errorMessage}`);
}

function isProblem({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING';
}

const require = createRequire(import.meta.url);
const runner = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const execute = promisify(execFile);

/** The scenarios of both versions; those of extensions carry no version. */
async function runnerScenarios(): Promise<Set<string>> {
  const { stdout } = await execute(process.execPath, [runner, 'list', '--server']);
  const names = [...stdout.matchAll(/^ {2}- (\S+) \[(\S+)\]$/gm)]
    .filter((match) => versions.some((version) => match[2]?.includes(version)))
    .map((match) => match[1] ?? '');
  return new Set(names);
}

/** Runs every scenario of a version and returns what was checked, by scenario. */
async function run(url: string, version: string): Promise<Map<string, Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const args = ['server', '--url', url, '--suite', 'all', '--spec-version', version];
    // The runner exits with 1 for scenarios we do not ask about; its files say what happened.
    await execute(process.execPath, [runner, ...args, '-o', folder]).catch(() => {});
    const results = new Map<string, Check[]>();
    for (const name of await readdir(folder)) {
      const scenario = name.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1');
      const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
      results.set(scenario, JSON.parse(text) as Check[]);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}
