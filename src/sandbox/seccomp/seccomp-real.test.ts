import { spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from '../../../testkit/sandbox/this-machine.ts';
import { seccompFilter } from './seccomp-filter.ts';

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const bwrap = '/usr/bin/bwrap';
const hasPython = exists('/usr/bin/python3');
const filterFd = 3;
const ranOutMs = 50_000;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-seccomp-'));
  writeFileSync(join(folder, 'filter'), seccompFilter(architecture));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flags = [
  '--unshare-all --die-with-parent --new-session --clearenv --proc /proc --dev /dev',
  '--tmpfs /tmp --chdir /tmp --setenv HOME /tmp --setenv PATH /usr/bin:/bin',
  ...['/usr', '/bin', '/lib', '/lib64', '/etc/alternatives', '/etc/java-17-openjdk'].map(
    (path) => `--ro-bind-try ${path} ${path}`,
  ),
].flatMap((line) => line.split(' '));

/** Runs a program in a bubblewrap that has nothing but namespaces and the filter. */
function underFilter(argv: readonly string[], input = ''): { status: number | null; text: string } {
  const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--', bwrap];
  const [program = '', ...before] =
    process.getuid?.() === 0 ? ['/usr/bin/setpriv', ...asNobody] : [bwrap];
  const filter = openSync(join(folder, 'filter'), 'r');
  try {
    const ran = spawnSync(program, [...before, ...flags, '--seccomp', String(filterFd), ...argv], {
      stdio: ['pipe', 'pipe', 'pipe', filter],
      input,
      timeout: ranOutMs,
      encoding: 'utf8',
    });
    return { status: ran.status, text: ran.stdout + ran.stderr };
  } finally {
    closeSync(filter);
  }
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`a program under the filter${whyNoBubblewrap}`, () => {
  // Needs the toolchain it runs, which not every machine has.
  it.skipIf(!hasPython)('runs Python with threads, processes and sockets of its own', () => {
    const code = `
import multiprocessing, os, socket, subprocess, tempfile, threading
assert multiprocessing.Pool(2).map(abs, [-1, -2]) == [1, 2]
assert subprocess.check_output(["echo", "hi"]) == b"hi\\n"
thread = threading.Thread(target=lambda: None); thread.start(); thread.join()
server = socket.create_server(("127.0.0.1", 0)); socket.create_connection(server.getsockname())
os.mkfifo("pipe"); tempfile.TemporaryFile().write(b"x")
print("fine")`;
    expect(underFilter(['python3', '-c', code])).toEqual({ status: 0, text: 'fine\n' });
  });

  // Needs the toolchain it runs, which not every machine has.
  it.skipIf(!exists('/usr/bin/node'))('runs Node with workers and child processes', () => {
    const code = `
const { Worker } = require('node:worker_threads');
new Worker('', { eval: true }).on('exit', (exit) =>
  console.log(exit, String(require('node:child_process').execSync('echo kid')).trim()));`;
    expect(underFilter(['node', '-e', code])).toEqual({ status: 0, text: '0 kid\n' });
  });

  it('runs a shell with pipes and jobs', () => {
    const script = 'seq 1 3 | sort -r | head -n 1; sleep 0 & wait; mkfifo p; ls p';
    expect(underFilter(['sh', '-c', script])).toEqual({ status: 0, text: '3\np\n' });
  });

  // Needs the toolchain it runs, which not every machine has.
  it.skipIf(!exists('/usr/bin/java'))('runs Java from its source', () => {
    const source = `cat > H.java; exec java -Xmx128m H.java`;
    const code = 'class H { public static void main(String[] a) { System.out.println("java"); } }';
    expect(underFilter(['sh', '-c', source], code)).toEqual({ status: 0, text: 'java\n' });
  });

  // Needs the toolchain it runs, which not every machine has.
  it.skipIf(!exists('/usr/lib/go-1.19/bin/go'))('compiles and runs Go', () => {
    const script =
      'cat > m.go; GOCACHE=/tmp/c GO111MODULE=off exec /usr/lib/go-1.19/bin/go run m.go';
    const code =
      'package main\nfunc main() { c := make(chan int); go func() { c <- 1 }(); println(<-c) }';
    expect(underFilter(['sh', '-c', script], code)).toEqual({ status: 0, text: '1\n' });
  });

  // Needs the toolchain it runs, which not every machine has.
  it.skipIf(!hasPython)('gets EPERM from what is refused and ENOSYS from what is unknown', () => {
    const numbers = architecture === 'x64' ? [165, 272, 101, 425, 321] : [40, 97, 117, 425, 280];
    const code = `
import ctypes, fcntl, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def errno_of(*args):
    libc.syscall(*args); return ctypes.get_errno()
print([errno_of(n, 0, 0, 0, 0, 0) for n in ${JSON.stringify(numbers)}], errno_of(435, 0, 0), errno_of(1000))
for family, kind, protocol in ((40, 1, 0), (17, 3, 0), (38, 5, 0), (2, 3, 1), (16, 3, 15)):
    try: socket.socket(family, kind, protocol); print("opened", family)
    except PermissionError: pass
try: fcntl.ioctl(0, 0x5412, b"#"); print("typed")
except PermissionError: print("held")`;
    expect(underFilter(['python3', '-c', code])).toEqual({
      status: 0,
      text: '[1, 1, 1, 1, 1] 38 38\nheld\n',
    });
  });

  // Other processors have no such ways in.
  it.skipIf(architecture !== 'x64' || !hasPython)(
    'dies when it calls through int 0x80 or x32',
    () => {
      const code = `
import ctypes, mmap, os
def dies(call):
    pid = os.fork()
    if pid == 0:
        call(); os._exit(0)
    return os.WTERMSIG(os.waitpid(pid, 0)[1])
page = mmap.mmap(-1, 4096, prot=7); page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
int80 = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print(dies(int80), dies(lambda: ctypes.CDLL(None).syscall(0x40000027)))`;
      expect(underFilter(['python3', '-c', code])).toEqual({ status: 0, text: '31 31\n' });
    },
  );
});
