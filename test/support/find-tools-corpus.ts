import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSystem } from '../../src/compose/index.ts';
import type { CatalogueEntry } from '../../src/contract/catalogue/index.ts';
import { generateTools } from './generated-tools.ts';
import { realServerEntries } from './real-servers.ts';

/** What a user says, and the tools any of which is a right answer. */
export interface ToolRequest {
  readonly request: string;
  readonly tools: readonly string[];
  /** Weights and synonyms were chosen by the one half alone. */
  readonly half: 'tuning' | 'held out';
}

/** How they were made is told in test/data/find-tools/README.md; every second one is held out. */
export function toolRequests(): ToolRequest[] {
  const path = new URL('../data/find-tools/requests.json', import.meta.url);
  // Our own file; a request without tools would fail the proof.
  const requests = JSON.parse(readFileSync(path, 'utf8')) as Omit<ToolRequest, 'half'>[];
  return requests.map((it, at) => ({ ...it, half: at % 2 === 0 ? 'tuning' : 'held out' }));
}

const startLimitMs = 60_000;

/** The tools of our servers and of those of others, as the fleet lists them, and generated ones up to `count`. */
export async function manyTools(count: number): Promise<readonly CatalogueEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-find-tools-'));
  const config = join(folder, 'config', 'tutti');
  mkdirSync(config, { recursive: true });
  const settings = { mcpServers: realServerEntries(folder) };
  writeFileSync(join(config, 'config.yaml'), JSON.stringify(settings));
  const system = await openSystem({
    flags: { home: join(folder, 'home') },
    env: { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') },
    cwd: folder,
  });
  try {
    await system.fleet.startAll(startLimitMs);
    const real = await system.catalogue.entries();
    return [...real, ...generateTools(count - real.length)];
  } finally {
    await system.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
