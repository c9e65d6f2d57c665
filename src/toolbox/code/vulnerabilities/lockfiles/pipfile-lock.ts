import { z } from 'zod';
import type { LockedPackage, ParsedLockfile, SkippedPackage } from '../locked-package.ts';
import { linesOfKeys, readJson } from './read-json.ts';

const section = z.record(z.string(), z.object({ version: z.string().optional() }));

const lockSchema = z.object({
  _meta: z.object({}),
  default: section.optional(),
  develop: section.optional(),
});

/** `Pipfile.lock` of pipenv. */
export function parsePipfileLock(text: string, path: string): ParsedLockfile {
  const lock = readJson(text, path, lockSchema);
  const lines = linesOfKeys(text);
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  for (const [name, entry] of [lock.default, lock.develop].flatMap((part) =>
    Object.entries(part ?? {}),
  )) {
    const line = lines.get(name);
    const version = /^===?\s*(\S+)$/.exec(entry.version ?? '')?.[1];
    if (version === undefined) skipped.push({ name, line, reason: 'it has no pinned version' });
    else packages.push({ ecosystem: 'PyPI', name, version, line });
  }
  return { packages, skipped };
}
