import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';

const program = fileURLToPath(new URL('support/add-servers.ts', import.meta.url));
const comment = '# written by hand, stays   as it is\n';

/** Adds `count` servers in a process of its own, killed after `killAfter` of them, and says which were acknowledged. */
async function addServers(writer: {
  readonly file: string;
  readonly name: string;
  readonly count: number;
  readonly killAfter?: number;
}): Promise<string[]> {
  const args = [program, writer.file, writer.name, String(writer.count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    acknowledged.push(line);
    if (acknowledged.length === writer.killAfter) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return acknowledged;
}

/** Fifty rounds take more than a minute. */
const maxProofMs = 600_000;

it(
  'loses no edit of several processes, also when one of them is killed at any moment',
  { timeout: maxProofMs },
  async () => {
    const random = seededRandom(11);
    for (let round = 1; round <= (isProof ? 50 : 3); round += 1) {
      const file = join(aDirectory(), 'config.yaml');
      writeFileSync(file, comment);
      const count = 12;
      const killAfter = 1 + Math.floor(random() * (count - 1));
      const [a, b, killed] = await Promise.all([
        addServers({ file, name: 'a', count }),
        addServers({ file, name: 'b', count }),
        addServers({ file, name: 'killed', count: 1_000, killAfter }),
      ]);
      expect([a.length, b.length]).toEqual([count, count]);
      expect(killed.length).toBeGreaterThanOrEqual(killAfter);
      const text = readFileSync(file, 'utf8');
      expect(text.startsWith(comment)).toBe(true);
      const { mcpServers } = parse(text) as { mcpServers: Record<string, unknown> };
      expect(Object.keys(mcpServers)).toEqual(expect.arrayContaining([...a, ...b, ...killed]));
      // The edit that was being made may have got in before the kill; more cannot.
      expect(Object.keys(mcpServers).length - 2 * count - killed.length).toBeLessThanOrEqual(1);
      const leftBehind = readdirSync(join(file, '..')).filter((name) => name.endsWith('.tmp'));
      expect(leftBehind.length).toBeLessThanOrEqual(1);
    }
  },
);
