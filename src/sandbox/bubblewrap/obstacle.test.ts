import { describe, expect, it } from 'vitest';
import { countsProcessesInside, readHostFacts, type HostFacts } from './host-facts.ts';
import { obstacleAhead, obstacleOfComplaint, obstacleOfVersion } from './obstacle.ts';

const programs = {
  bwrap: '/usr/bin/bwrap',
  setpriv: '/usr/bin/setpriv',
  prlimit: '/usr/bin/prlimit',
};

function facts(changes: Partial<HostFacts> = {}): HostFacts {
  return {
    platform: 'linux',
    isRoot: false,
    kernel: '6.1.0-18-amd64',
    maxUserNamespaces: '15000',
    unprivilegedUserNamespaces: null,
    appArmorRestriction: null,
    installer: 'apt-get install -y',
    ...changes,
  };
}

describe('what keeps bwrap from working', () => {
  it('is nothing on a machine that has all', () => {
    expect(obstacleAhead(facts(), programs)).toBeUndefined();
    expect(obstacleAhead(facts({ isRoot: true }), programs)).toBeUndefined();
  });

  it.each([
    ['apt-get install -y', 'sudo apt-get install -y bubblewrap'],
    ['dnf install -y', 'sudo dnf install -y bubblewrap'],
    ['pacman -S --noconfirm', 'sudo pacman -S --noconfirm bubblewrap'],
    ['apk add', 'sudo apk add bubblewrap'],
    [null, 'install the package "bubblewrap"'],
  ])('is that it is not installed, with the command that does it: %s', (installer, fix) => {
    const obstacle = obstacleAhead(facts({ installer }), { ...programs, bwrap: undefined });
    expect(obstacle).toEqual({ message: 'bubblewrap is not installed', fix });
  });

  it('is another system than Linux', () => {
    expect(obstacleAhead(facts({ platform: 'darwin' }), programs)?.message).toContain('Linux only');
  });

  it('is for root that nothing drops its rights, and only for root', () => {
    const without = { ...programs, setpriv: undefined };
    expect(obstacleAhead(facts(), without)).toBeUndefined();
    expect(obstacleAhead(facts({ isRoot: true }), without)?.fix).toBe(
      'apt-get install -y util-linux',
    );
  });

  it('is that nothing bounds what a program takes from its user', () => {
    const without = { ...programs, prlimit: undefined };
    expect(obstacleAhead(facts(), without)).toEqual({
      message: expect.stringContaining('prlimit is missing'),
      fix: 'sudo apt-get install -y util-linux',
    });
  });

  it.each([
    ['bubblewrap 0.8.0\n', undefined],
    ['bubblewrap 0.11.0', undefined],
    ['bubblewrap 1.0', undefined],
    ['bubblewrap 0.6.1', 'bubblewrap 0.6.1 is too old: 0.8 or later is needed'],
    ['', 'this bubblewrap is too old: 0.8 or later is needed'],
  ])('may be its age: %s', (answer, message) => {
    expect(obstacleOfVersion(answer, facts())?.message).toBe(message);
  });

  const refused = 'bwrap: setting up uid map: Permission denied';
  it('is told from its complaint and the settings of the kernel', () => {
    const appArmor = obstacleOfComplaint(refused, facts({ appArmorRestriction: '1' }));
    expect(appArmor.message).toContain('AppArmor');
    expect(appArmor.fix).toContain('/etc/apparmor.d/bwrap');
    const clone = obstacleOfComplaint(refused, facts({ unprivilegedUserNamespaces: '0' }));
    expect(clone.fix).toBe('sudo sysctl -w kernel.unprivileged_userns_clone=1');
    const none = obstacleOfComplaint(
      'bwrap: Creating new namespace failed: No space left on device',
      facts({ maxUserNamespaces: '0' }),
    );
    expect(none.fix).toBe('sudo sysctl -w user.max_user_namespaces=15000');
    expect(obstacleOfComplaint(refused, facts()).message).toContain(refused);
    const proc = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
    expect(obstacleOfComplaint(proc, facts()).fix).toContain('systempaths=unconfined');
  });

  it('is the complaint itself, cut, where nobody knows it', () => {
    expect(obstacleOfComplaint('bwrap: something\n else ', facts())).toEqual({
      message: 'bwrap: something else',
    });
    expect(obstacleOfComplaint('', facts()).message).toBe('it ended without a word');
    expect(obstacleOfComplaint('x'.repeat(9_000), facts()).message).toHaveLength(500);
  });
});

describe('the facts of this machine', () => {
  it('are read from it', () => {
    const here = readHostFacts();
    expect(here.platform).toBe(process.platform);
    expect(here.isRoot).toBe(process.getuid?.() === 0);
  });

  it.each([
    ['5.13.19-generic', false],
    ['5.14.0', true],
    ['6.1.0-18-amd64', true],
    ['4.19.0', false],
    ['odd', false],
  ])('tell by the kernel whether processes are counted inside: %s', (kernel, isCounted) => {
    expect(countsProcessesInside(kernel)).toBe(isCounted);
  });
});
