import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory that is removed when the running test has finished. */
export function aDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'tutti-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
