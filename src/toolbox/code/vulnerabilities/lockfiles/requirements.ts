import { z } from 'zod';
import {
  type LockedPackage,
  type ParsedLockfile,
  type SkippedPackage,
  linesOfKeys,
  readJson,
} from '../locked-package.ts';

/** `requirements.txt`: what is pinned with `==` is looked up, the rest is listed as skipped. */
export function parseRequirements(text: string): ParsedLockfile {
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  for (const { line, content } of logicalLines(text)) {
    if (content.startsWith('-')) {
      if (/^(-e|--editable|-r|--requirement|-c|--constraint)\b/.test(content)) {
        skipped.push({ name: content.slice(0, 120), line, reason: 'it points to another place' });
      }
      continue;
    }
    const name = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/.exec(content)?.[0];
    const rest = name === undefined ? content : content.slice(name.length);
    const pin = /^\s*(?:\[[^\]]*\])?\s*\(?\s*={2,3}\s*([^\s;,#)]+)\s*\)?\s*(?:$|[;#]|--)/.exec(
      rest,
    );
    const version = pin?.[1];
    if (name !== undefined && version !== undefined && !version.includes('*')) {
      packages.push({ ecosystem: 'PyPI', name, version, line });
    } else {
      const reason = 'it is not pinned to one version with ==';
      skipped.push({ name: name ?? content.slice(0, 120), line, reason });
    }
  }
  return { packages, skipped };
}

/** Lines with continuations joined, comments and blank lines left out. */
function logicalLines(text: string): { line: number; content: string }[] {
  const found: { line: number; content: string }[] = [];
  let pending: { line: number; parts: string[] } | undefined;
  text.split(/\r?\n/).forEach((raw, index) => {
    const isContinued = raw.endsWith('\\');
    const part = (isContinued ? raw.slice(0, -1) : raw).replace(/(^|\s)#.*$/, '').trim();
    pending ??= { line: index + 1, parts: [] };
    pending.parts.push(part);
    if (isContinued) return;
    const content = joinParts(pending.parts);
    if (content !== '') found.push({ line: pending.line, content });
    pending = undefined;
  });
  const rest = joinParts(pending?.parts ?? []);
  if (pending && rest) found.push({ line: pending.line, content: rest });
  return found;
}

/** Single spaces only: the patterns above are linear on such text, and on no other. */
function joinParts(parts: readonly string[]): string {
  return parts.join(' ').split(/\s+/).join(' ').trim();
}

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
