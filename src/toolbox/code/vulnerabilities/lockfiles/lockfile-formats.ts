import type { LockfileParser } from '../locked-package.ts';

const npm = async () => (await import('./package-lock.ts')).parsePackageLock;
const poetry = async () => (await import('./toml-lock.ts')).parsePythonLock;
const gradle = async () => (await import('./pom.ts')).parseGradleLockfile;

/** The readers by file name, loaded when first needed. */
const formats: ReadonlyMap<string, () => Promise<LockfileParser>> = new Map([
  ['package-lock.json', npm],
  ['npm-shrinkwrap.json', npm],
  ['yarn.lock', async () => (await import('./yarn-lock.ts')).parseYarnLock],
  ['pnpm-lock.yaml', async () => (await import('./pnpm-lock.ts')).parsePnpmLock],
  ['requirements.txt', async () => (await import('./requirements.ts')).parseRequirements],
  ['poetry.lock', poetry],
  ['pdm.lock', poetry],
  ['uv.lock', async () => (await import('./toml-lock.ts')).parseUvLock],
  ['Pipfile.lock', async () => (await import('./requirements.ts')).parsePipfileLock],
  ['go.mod', async () => (await import('./go-mod.ts')).parseGoMod],
  ['go.sum', async () => (await import('./go-mod.ts')).parseGoSum],
  ['Cargo.lock', async () => (await import('./toml-lock.ts')).parseCargoLock],
  ['pom.xml', async () => (await import('./pom.ts')).parsePom],
  ['gradle.lockfile', gradle],
  ['buildscript-gradle.lockfile', gradle],
]);

/** Every file name that is read. `requirements-dev.txt` and the like count as requirements.txt. */
export const lockfileNames: readonly string[] = [...formats.keys()];

/** The reader for a file of this name, or `undefined` when it is no lock file. */
export async function loadLockfileParser(name: string): Promise<LockfileParser | undefined> {
  return formats.get(/^requirements[\w.-]*\.txt$/.test(name) ? 'requirements.txt' : name)?.();
}
