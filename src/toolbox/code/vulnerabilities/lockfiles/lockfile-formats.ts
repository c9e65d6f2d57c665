import type { LockfileParser } from '../locked-package.ts';

/** A lock file format: the file names it goes by, and its reader, loaded when first needed. */
interface LockfileFormat {
  readonly names: readonly string[];
  readonly load: () => Promise<LockfileParser>;
}

const formats: readonly LockfileFormat[] = [
  {
    names: ['package-lock.json', 'npm-shrinkwrap.json'],
    load: async () => (await import('./package-lock.ts')).parsePackageLock,
  },
  { names: ['yarn.lock'], load: async () => (await import('./yarn-lock.ts')).parseYarnLock },
  { names: ['pnpm-lock.yaml'], load: async () => (await import('./pnpm-lock.ts')).parsePnpmLock },
  {
    names: ['requirements.txt'],
    load: async () => (await import('./requirements.ts')).parseRequirements,
  },
  {
    names: ['poetry.lock', 'pdm.lock'],
    load: async () => (await import('./toml-lock.ts')).parsePythonLock,
  },
  { names: ['uv.lock'], load: async () => (await import('./toml-lock.ts')).parseUvLock },
  {
    names: ['Pipfile.lock'],
    load: async () => (await import('./pipfile-lock.ts')).parsePipfileLock,
  },
  { names: ['go.mod'], load: async () => (await import('./go-mod.ts')).parseGoMod },
  { names: ['go.sum'], load: async () => (await import('./go-mod.ts')).parseGoSum },
  { names: ['Cargo.lock'], load: async () => (await import('./toml-lock.ts')).parseCargoLock },
  { names: ['pom.xml'], load: async () => (await import('./pom.ts')).parsePom },
  {
    names: ['gradle.lockfile', 'buildscript-gradle.lockfile'],
    load: async () => (await import('./gradle-lockfile.ts')).parseGradleLockfile,
  },
];

/** Every file name that is read. `requirements-dev.txt` and the like count as requirements.txt. */
export const lockfileNames: readonly string[] = formats.flatMap(({ names }) => names);

/** The reader for a file of this name, or `undefined` when it is no lock file. */
export async function loadLockfileParser(name: string): Promise<LockfileParser | undefined> {
  const known = /^requirements[\w.-]*\.txt$/.test(name) ? 'requirements.txt' : name;
  return formats.find(({ names }) => names.includes(known))?.load();
}
