import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isOwnerDead, newGroupName, ownerOfGroup } from './group-name.ts';
import { readProcessStat } from './process-stat.ts';

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('the name of a group', () => {
  it('tells its owner, who lives', () => {
    const owner = ownerOfGroup(newGroupName());
    expect(owner?.pid).toBe(process.pid);
    expect(owner && isOwnerDead(owner)).toBe(false);
  });

  it('never is the same twice', () => {
    expect(newGroupName()).not.toBe(newGroupName());
  });

  it('is recognised as dead once its owner is, and when its pid belongs to somebody later', async () => {
    const owner = ownerOfGroup(newGroupName());
    const child = spawn('/bin/sleep', ['60']);
    const pid = child.pid ?? 0;
    const startedAt = readProcessStat(pid)?.startedAt ?? '';
    const namespace = owner?.namespace ?? '';
    expect(isOwnerDead({ namespace, pid, startedAt })).toBe(false);
    expect(isOwnerDead({ namespace, pid, startedAt: '1' })).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isOwnerDead({ namespace, pid, startedAt })).toBe(true);
  });

  it('is never judged from another process namespace, where the pid means somebody else', () => {
    expect(isOwnerDead({ namespace: '1', pid: 2 ** 22, startedAt: '1' })).toBe(false);
  });

  it.each(['user.slice', 'tutti-self', 'tutti-1-2-3-xyz', 'tutti-1-2-3-0123456789ab.scope'])(
    'is not %s',
    (name) => {
      expect(ownerOfGroup(name)).toBeUndefined();
    },
  );
});
