import { valid } from 'semver';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { LockfileMalformedError } from '../../errors.ts';
import {
  checkShape,
  readJson,
  type LockedPackage,
  type ParsedLockfile,
  type SkippedPackage,
} from '../locked-package.ts';
import { parseRequirements } from './requirements.ts';

const requirements = z.array(z.string());

const pyprojectSchema = z.object({
  project: z
    .object({
      dependencies: requirements.optional(),
      'optional-dependencies': z.record(z.string(), requirements).optional(),
    })
    .optional(),
  // A group may include another, as a table.
  'dependency-groups': z.record(z.string(), z.array(z.unknown())).optional(),
});

/** `pyproject.toml`, for a project without a lock file: what it pins with `==`. */
export function parsePyproject(text: string, path: string): ParsedLockfile {
  const { project, 'dependency-groups': groups } = checkShape(
    parseToml(text, path),
    path,
    pyprojectSchema,
  );
  const asked = [
    ...(project?.dependencies ?? []),
    ...Object.values(project?.['optional-dependencies'] ?? {}).flat(),
    ...Object.values(groups ?? {})
      .flat()
      .filter((one) => typeof one === 'string'),
  ];
  const { packages, skipped } = parseRequirements(asked.join('\n'));
  const withLine = <Entry extends { readonly line?: number | undefined }>(entry: Entry): Entry => ({
    ...entry,
    line: lineOf(text, asked[(entry.line ?? 1) - 1] ?? ''),
  });
  return { packages: packages.map(withLine), skipped: skipped.map(withLine) };
}

const versions = z.record(z.string(), z.string()).optional();

const packageSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

/** `package.json`, for a project without a lock file: dependencies on one exact version. */
export function parsePackageJson(text: string, path: string): ParsedLockfile {
  const found = readJson(text, path, packageSchema);
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  for (const [name, wanted] of Object.values(found).flatMap((part) => Object.entries(part ?? {}))) {
    const line = lineOf(text, `"${name}"`);
    const version = valid(wanted);
    if (version === null) skipped.push({ name, line, reason: 'a range, and no lock file' });
    else packages.push({ ecosystem: 'npm', name, version, line, direct: true });
  }
  return { packages, skipped };
}

function parseToml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new LockfileMalformedError(path, 1, error instanceof Error ? error.message : '');
  }
}

function lineOf(text: string, part: string): number {
  return text.slice(0, Math.max(0, text.indexOf(part))).split('\n').length;
}
