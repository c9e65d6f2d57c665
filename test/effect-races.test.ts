import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { postgresSkipReason } from '../testkit/store/a-postgres.ts';
import { createSharedDatabase } from '../testkit/store/shared-postgres.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';

const program = fileURLToPath(new URL('support/race-effects.ts', import.meta.url));
const racers = ['one', 'two', 'three'];
const effects = 200;

it.for(['SQLite', 'PostgreSQL'])(
  'several processes that want the same effects send each of them once: %s',
  { timeout: 60_000 },
  async (database, { skip }) => {
    const isServer = database === 'PostgreSQL';
    if (isServer && postgresSkipReason !== null) skip(postgresSkipReason);
    const home = aDirectory();
    const env = {
      ...process.env,
      ...(isServer && { MCP_DATABASE_URL: await createSharedDatabase() }),
    };
    const exits = racers.map(async (name) => {
      const child = spawn(process.execPath, [program, home, name, String(effects)], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env,
      });
      const [code] = await once(child, 'exit');
      return code;
    });
    await vi.waitFor(
      () => expect(racers.filter((name) => !existsSync(join(home, `ready-${name}`)))).toEqual([]),
      { timeout: 30_000, interval: 10 },
    );
    writeFileSync(join(home, 'go'), '');
    expect(await Promise.all(exits)).toEqual([0, 0, 0]);
    const sent = readFileSync(join(home, 'sent'), 'utf8').trim().split('\n');
    expect(sent.toSorted()).toEqual(
      Array.from({ length: effects }, (_, index) => `step${index}`).toSorted(),
    );
  },
);
