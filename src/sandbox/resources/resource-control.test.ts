import { describe, expect, it } from 'vitest';
import { describeFix } from './resource-control.ts';

describe('what to do so that the kernel holds the limits', () => {
  const facts = { hasSystemd: true, isRoot: false, isContainer: false };

  it('is one command on a machine with systemd', () => {
    expect(describeFix(facts)).toBe('systemd-run --user --scope -p Delegate=yes tutti …');
    expect(describeFix({ ...facts, isRoot: true })).toBe(
      'systemd-run --scope -p Delegate=yes tutti …',
    );
  });

  it('fits containers and machines without systemd', () => {
    expect(describeFix({ ...facts, isContainer: true })).toContain('writable-cgroups=true');
    expect(describeFix({ ...facts, hasSystemd: false })).toContain('start Tutti as root');
    expect(describeFix({ ...facts, hasSystemd: false, isRoot: true })).toContain('mount');
  });

  it('is told for this machine too', () => {
    expect(describeFix()).not.toBe('');
  });
});
