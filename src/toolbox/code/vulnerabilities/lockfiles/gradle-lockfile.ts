import { LockfileMalformedError } from '../errors.ts';
import type { LockedPackage, ParsedLockfile } from '../locked-package.ts';

/** `gradle.lockfile` and `buildscript-gradle.lockfile`: `group:artifact:version=configurations`. */
export function parseGradleLockfile(text: string, path: string): ParsedLockfile {
  const packages: LockedPackage[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith('empty=')) return;
    const [group, artifact, version] = (line.split('=')[0] ?? '').split(':');
    if (!group || !artifact || !version) {
      throw new LockfileMalformedError(path, index + 1, 'a line needs group:artifact:version');
    }
    packages.push({
      ecosystem: 'Maven',
      name: `${group}:${artifact}`,
      version,
      line: index + 1,
    });
  });
  return { packages, skipped: [] };
}
