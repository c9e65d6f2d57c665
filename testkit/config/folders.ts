import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LoadOptions } from '../../src/config/load-settings.ts';

/** A project folder inside a home directory, with files, gone when the test ends. */
export function aProject(files: Readonly<Record<string, string | Uint8Array>> = {}): {
  readonly base: string;
  readonly options: LoadOptions;
} {
  const base = mkdtempSync(join(tmpdir(), 'tutti-config-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, 'home/project'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  return {
    base,
    options: {
      flags: {},
      env: {},
      cwd: join(base, 'home/project'),
      homeDirectory: join(base, 'home'),
      platform: 'linux',
    },
  };
}
