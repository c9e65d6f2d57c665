import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** One thing the official runner looked at. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** What was checked, by scenario. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

const require = createRequire(import.meta.url);
const runner = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const execute = promisify(execFile);
const maxOutputBytes = 64 * 1024 * 1024;

/** The names of the runner's server scenarios whose label (versions, or `extension`) holds `label`. */
export async function runnerScenarios(label: string): Promise<string[]> {
  const { stdout } = await execute(process.execPath, [runner, 'list', '--server']);
  return [...stdout.matchAll(/^ {2}- (\S+) \[(\S+)\]$/gm)]
    .filter((match) => match[2]?.includes(label))
    .map((match) => match[1] ?? '');
}

/** Every scenario of a version of the specification. */
export function runVersion(url: string, version: string): Promise<Findings> {
  return run(url, ['--suite', 'all', '--spec-version', version]);
}

/** One scenario: at a version, or, if it belongs to an extension, at the version that has those. */
export async function runScenario(
  url: string,
  name: string,
  version?: string,
): Promise<readonly Check[]> {
  const at = version === undefined ? [] : ['--spec-version', version];
  const found = await run(url, ['--scenario', name, ...at]);
  return found.get(name) ?? [];
}

async function run(url: string, chosen: readonly string[]): Promise<Findings> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const args = [runner, 'server', '--url', url, ...chosen, '-o', folder];
    // The runner exits with 1 when anything failed; its files say what happened.
    await execute(process.execPath, args, { maxBuffer: maxOutputBytes }).catch(() => {});
    const results = new Map<string, Check[]>();
    for (const name of await readdir(folder)) {
      const scenario = name.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1');
      const text = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => '[]');
      results.set(scenario, JSON.parse(text) as Check[]);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function isProblem({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING';
}

/** Whether anything of the scenario itself was looked at; the shape of messages is looked at always. */
export function isTested(checks: readonly Check[]): boolean {
  return checks.some(({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid');
}
