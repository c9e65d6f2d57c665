// The program that tries to get out: told what to try by its first argument, it answers with one line of
// JSON. It only reports; the verdicts are made outside.
'use strict';
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const { execFile } = require('node:child_process');
const asked = JSON.parse(process.argv[2]);

const attempt = (run) => {
  try {
    return run();
  } catch (error) {
    return 'error ' + (error.code || error.message);
  }
};
const text = (path) => attempt(() => fs.readFileSync(path, 'utf8').trim());
const connect = (where) =>
  new Promise((resolve) => {
    const socket = net.connect(where);
    const end = (outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(1000, () => end('error ETIMEDOUT'));
    socket.once('connect', () => end('connected'));
    socket.once('error', (error) => end('error ' + (error.code || error.message)));
  });
const tryCommand = (script) =>
  new Promise((resolve) => {
    const options = { timeout: 3000, env: process.env };
    execFile('sh', ['-c', script], options, (error, stdout) =>
      resolve(stdout.trim() || 'error ' + (error ? error.code || error.message : 'silent')),
    );
  });

const numbers =
  process.arch === 'arm64'
    ? { unshare: 97, keyctl: 219, perf: 241 }
    : { unshare: 272, keyctl: 250, perf: 298 };
// A new user namespace, by whatever is there to ask for one.
const nested = [
  'if command -v unshare >/dev/null 2>&1; then',
  '  if unshare -U true 2>/dev/null; then echo created; else echo refused; fi',
  'elif command -v perl >/dev/null 2>&1; then',
  '  perl -e "print syscall(' + numbers.unshare + ',0x10000000)==0 ? q(created) : q(refused)"',
  'else echo untried; fi',
].join('\n');
// EPERM and ENOSYS are a filter's answers; the kernel itself would say something else to these.
const calls = [
  'if command -v perl >/dev/null 2>&1; then',
  "  perl -e 'for my $c ([q(keyctl)," +
    numbers.keyctl +
    ',0,-3],[q(perf_event_open),' +
    numbers.perf +
    ',0,0]) {',
  '    my ($n,@a)=@$c; $!=0; my $r=syscall($a[0],$a[1],$a[2],-1,-1,0); my $e=$!+0;',
  "    print $n, ($r==-1 && ($e==1||$e==38)) ? q(=refused ) : q(=answered ); }'",
  'else echo untried; fi',
].join('\n');

const status = {};
for (const line of text('/proc/self/status').split('\n')) {
  const colon = line.indexOf(':');
  if (colon > 0) status[line.slice(0, colon)] = line.slice(colon + 1).trim();
}
const namespaces = {};
for (const kind of ['user', 'pid', 'net', 'uts', 'ipc', 'mnt'])
  namespaces[kind] = attempt(() => fs.readlinkSync('/proc/self/ns/' + kind));
const pids = attempt(() => fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)));
const environments = (Array.isArray(pids) ? pids.slice(0, 64) : []).map((pid) =>
  text('/proc/' + pid + '/environ'),
);
const stat = text('/proc/self/stat').split(') ').at(-1).split(' ');
const hostStat = text('/proc/' + asked.hostPid + '/stat')
  .split(') ')
  .at(-1)
  .split(' ');
const write = (path) =>
  attempt(() => {
    fs.writeFileSync(path, '');
    return 'written';
  });
const writes = {};
for (const folder of ['/', '/usr', '/etc', '/dev', '/proc', '/sys'])
  writes[folder] = attempt(() => {
    const path = (folder === '/' ? '' : folder) + '/tutti-canary-' + process.pid;
    const outcome = write(path);
    if (outcome === 'written') fs.rmSync(path);
    return outcome;
  });
writes['/proc/sys/kernel/domainname'] = attempt(() => {
  fs.closeSync(fs.openSync('/proc/sys/kernel/domainname', 'r+'));
  return 'written';
});
const interfaces = attempt(() =>
  Object.entries(os.networkInterfaces())
    .filter(([, addresses]) => addresses.some((address) => !address.internal))
    .map(([name]) => name),
);

async function main() {
  const [tcp, unix, nestedNamespace, systemCalls] = await Promise.all([
    connect({ host: '127.0.0.1', port: asked.tcpPort }),
    asked.abstractSocket === null ? 'untried' : connect({ path: '\0' + asked.abstractSocket }),
    tryCommand(nested),
    tryCommand(calls),
  ]);
  const found = {
    platform: process.platform,
    uid: process.getuid(),
    gid: process.getgid(),
    groups: process.getgroups(),
    systemOwner: attempt(() => fs.statSync('/usr').uid),
    becomeRoot: attempt(() => {
      process.setuid(0);
      return 'root';
    }),
    status,
    uidMap: text('/proc/self/uid_map').replace(/\s+/g, ' '),
    namespaces,
    processes: Array.isArray(pids) ? pids.length : -1,
    hostPidStartedAt: hostStat[19] || null,
    session: stat[3] || null,
    terminal: attempt(() => {
      fs.closeSync(fs.openSync('/dev/tty', 'r+'));
      return 'opened';
    }),
    hostname: os.hostname(),
    machineId: text('/etc/machine-id'),
    variables: process.env,
    environments,
    files: asked.files
      .filter(({ path, inode }) => attempt(() => fs.statSync(path).ino) === inode)
      .map(({ path }) => path),
    writes,
    interfaces: Array.isArray(interfaces) ? interfaces : [],
    tcp,
    unix,
    nestedNamespace,
    systemCalls,
  };
  process.stdout.write(JSON.stringify(found) + '\n');
}
void main();
