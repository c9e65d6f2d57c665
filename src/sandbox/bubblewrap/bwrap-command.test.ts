import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { notJoinedExit, startScript, type StartPlan } from './bwrap-command.ts';

const plan: StartPlan = {
  bwrap: '/usr/bin/bwrap',
  prlimit: '/usr/bin/prlimit',
  isCorePiped: false,
  strays: [],
  joinFiles: [],
  openFiles: 64,
  command: ['true'],
  without: new Set(),
};

function runScript(script: string): string {
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
}

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('the script that becomes bwrap', () => {
  it('joins its groups, sets its limits and hands over texts and words as they are', () => {
    const joinFile = join(aDirectory(), "it's a group");
    // Stands for bwrap: says what it was given.
    const tell = 'echo "$@"; cat <&6; ulimit -n; ulimit -c; umask; cat /proc/self/oom_score_adj; :';
    const script = startScript({
      ...plan,
      bwrap: '/bin/sh',
      joinFiles: [joinFile],
      command: ["it's", '$(exit 3)'],
    }).replace("'/bin/sh' --args", `'/bin/sh' -c '${tell}' --args`);
    const lines = runScript(script).split('\n');
    expect(lines[0]).toBe("3 -- /usr/bin/prlimit --sigpending=1024 --msgqueue=0 -- it's $(exit 3)");
    expect(lines).toContain('sandbox:x:1000:1000::/work:/bin/sh');
    expect(lines.slice(-5)).toEqual(['64', '0', '0022', '500', '']);
    expect(readFileSync(joinFile, 'utf8')).toMatch(/^\d+\n$/);
  });

  it('leaves no core to a program of the host', () => {
    const script = startScript({ ...plan, isCorePiped: true, bwrap: '/bin/sh' });
    const told = runScript(
      script.replace('--args', `-c 'grep "Max core" /proc/self/limits' --args`),
    );
    expect(told).toMatch(/size +1 +1 /);
  });

  it('ends where a group cannot be joined', () => {
    const script = startScript({ ...plan, joinFiles: ['/nowhere/at/all'] });
    expect(() => runScript(`{ ${script} } 2>/dev/null`)).toThrow(
      expect.objectContaining({ status: notJoinedExit }),
    );
  });

  it('gives up root, enters a stage first, and closes what is not its own', () => {
    const script = startScript({
      ...plan,
      setpriv: '/usr/bin/setpriv',
      stage: { nsenter: '/usr/bin/nsenter', namespace: '/proc/1/ns/mnt' },
      strays: [3, 8, 42],
      fileBytes: 1_024,
      pidsInside: 10,
    });
    expect(script).toMatch(
      /'\/usr\/bin\/nsenter' --mount='\/proc\/1\/ns\/mnt' -- '\/usr\/bin\/setpriv' --reuid 65534 /,
    );
    expect(script).toContain('exec 42>&-');
    expect(script).toContain('exec 8>&-');
    expect(script).not.toContain('exec 3>&-');
    expect(script).toContain('ulimit -f 2\n');
    expect(script).toContain("'--nproc=74' '--' 'true'");
  });

  it('keeps root only where that is to be proven dangerous', () => {
    const setpriv = '/usr/bin/setpriv';
    const script = startScript({ ...plan, setpriv, without: new Set(['unprivileged-user']) });
    expect(script).not.toContain('setpriv');
  });
});
