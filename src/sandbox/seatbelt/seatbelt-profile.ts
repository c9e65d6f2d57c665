/** What a program may see and do on macOS, besides nothing. */
export interface ProfileRequest {
  /** The one folder it may write, with all links resolved: the kernel compares real paths. */
  readonly workFolder: string;
  /** Read-only: the toolchain and what the run mounts, with all links resolved. */
  readonly readable: readonly string[];
}

/** The parts of the system without which no program starts; none holds data of a user. */
const systemFolders = [
  '/usr/lib',
  '/usr/bin',
  '/usr/share',
  '/usr/libexec',
  '/bin',
  '/sbin',
  '/System/Library',
  '/System/Volumes/Preboot/Cryptexes',
  '/Library/Apple',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
];

const systemFiles = [
  '/private/etc/localtime',
  '/private/etc/ssl/cert.pem',
  '/private/etc/ssl/openssl.cnf',
  '/dev/autofs_nowait',
];

const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/fd'];

/**
 * A profile that denies everything and names what is allowed. No network, loopback included: the
 * kernel of macOS knows no private one. Every folder on the way to an allowed one may be looked up,
 * not listed.
 */
export function seatbeltProfile({ workFolder, readable }: ProfileRequest): string {
  const folders = [...systemFolders, ...readable, workFolder];
  return [
    '(version 1)',
    '(deny default)',
    '(deny network*)',
    '(deny mach-priv*)',
    '(deny file-write-setugid)',
    '(allow process-fork)',
    `(allow process-exec ${subpaths(folders)})`,
    // The last rule that fits decides.
    '(deny process-exec (literal "/usr/bin/sudo") (literal "/usr/bin/su") (literal "/usr/bin/login"))',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    `(allow file-read* ${subpaths(folders)} ${literals([...systemFiles, ...devices])})`,
    `(allow file-read-metadata ${literals(ancestorsOf(folders))})`,
    `(allow file-write* ${subpaths([workFolder])})`,
    `(allow file-write-data ${literals(devices)})`,
    '(allow ipc-posix-shm-read* ipc-posix-shm-write-create (ipc-posix-name-prefix "tutti."))',
  ].join('\n');
}

/** Every folder above the given ones, `/` included. */
export function ancestorsOf(paths: readonly string[]): string[] {
  const found = new Set(['/']);
  for (const path of paths) {
    const steps = path.split('/').filter(Boolean);
    for (let depth = 1; depth < steps.length; depth += 1) {
      found.add(`/${steps.slice(0, depth).join('/')}`);
    }
  }
  return [...found];
}

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quote(path)})`).join(' ');
}

function literals(paths: readonly string[]): string {
  return paths.map((path) => `(literal ${quote(path)})`).join(' ');
}

/** A string of the profile's language; a quote in a path must not end it. */
function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}
