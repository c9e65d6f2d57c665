import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A process as /proc shows it. */
interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

/** Pid namespaces, other than our own, that descendants of a process are in: its sandboxes. */
export function sandboxNamespacesOf(owner: number): Set<string> {
  const processes = listProcesses();
  const own = namespaceOf(owner);
  const namespaces = descendantsOf(owner, processes).map(({ pid }) => namespaceOf(pid));
  return new Set(namespaces.filter((namespace) => namespace !== own && namespace !== ''));
}

/** A look into pid namespaces that stays right after their end. */
export interface NamespaceView {
  /** Those that were still there. */
  readonly namespaces: ReadonlySet<string>;
  /** Who runs inside, as `PID STATE COMMAND`. The dead may wait for the machine's init to notice. */
  processes(): string[];
  letGo(): void;
}

/** Keeps the namespaces open: the number of one that is gone is soon given to another. */
export function holdNamespaces(wanted: ReadonlySet<string>): NamespaceView {
  const files = new Map<string, number>();
  for (const { pid } of wanted.size === 0 ? [] : listProcesses()) {
    const namespace = namespaceOf(pid);
    if (!wanted.has(namespace) || files.has(namespace)) continue;
    const file = tryOpen(`/proc/${pid}/ns/pid`);
    if (file !== undefined) files.set(namespace, file);
  }
  const namespaces = new Set(files.keys());
  return {
    namespaces,
    processes: () =>
      listProcesses()
        .filter(({ pid, state }) => !'ZX'.includes(state) && namespaces.has(namespaceOf(pid)))
        .map(({ pid, state }) => `${pid} ${state} ${commandOf(pid)}`),
    letGo: () => {
      for (const file of files.values()) closeSync(file);
    },
  };
}

/** Children of a process that have ended and that it has not taken note of. */
export function zombiesOf(owner: number): string[] {
  return descendantsOf(owner, listProcesses())
    .filter(({ state }) => state === 'Z')
    .map(({ pid }) => `${pid} ${commandOf(pid)}`);
}

/** Cgroups whose name says that this process made them. */
export function cgroupsOf(owner: number): string[] {
  const pending = ['/sys/fs/cgroup'];
  const found: string[] = [];
  for (const folder of pending) {
    for (const entry of foldersIn(folder)) {
      const path = join(folder, entry);
      if (/^tutti-\d+-/.test(entry)) {
        if (entry.split('-')[2] === String(owner)) found.push(path);
      } else pending.push(path);
    }
  }
  return found;
}

/** Processes in the cgroups that this process made. */
export function membersOfCgroups(owner: number): string[] {
  return cgroupsOf(owner).flatMap((folder) =>
    read(join(folder, 'cgroup.procs')).split('\n').filter(Boolean),
  );
}

/** Where container engines, and scripts in folders by mktemp, mount: they may be at work beside the tests. */
const ofOthers =
  /\/overlay2?\/|\/netns\/|\/containers\/|\/docker\/|\/tmp\.\w{10}\/|\/tutti-docker-/;

/** Mount points of the host, those of others' work left out. */
export function mountsNow(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((place) => place !== '' && !ofOthers.test(place))
    .sort();
}

export function openFilesOf(pid: number | 'self'): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function descendantsOf(owner: number, processes: readonly SeenProcess[]): SeenProcess[] {
  const family = new Set([owner]);
  const found: SeenProcess[] = [];
  // A parent may have a higher number than its child, so once over the list is not enough.
  for (let added = -1; added !== 0;) {
    const more = processes.filter(({ pid, parent }) => family.has(parent) && !family.has(pid));
    added = more.length;
    for (const one of more) family.add(one.pid);
    found.push(...more);
  }
  return found;
}

function listProcesses(): SeenProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`);
      // The name in parentheses may hold anything, parentheses included.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === undefined || parent === undefined) return [];
      return [{ pid: Number(name), parent: Number(parent), state }];
    });
}

function namespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return '';
  }
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 80);
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
