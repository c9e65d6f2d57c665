import { describe, expect, it } from 'vitest';
import { protections, type Holder, type Protection } from '../contract/sandbox/index.ts';
import { judge } from './choose-driver.ts';
import { aReport } from '../../testkit/sandbox/fake-driver.ts';

function reportWith(protection: Protection, holder: Holder) {
  const report = aReport('fake');
  return {
    ...report,
    protections: report.protections.map((row) =>
      row.protection === protection ? { ...row, holder } : row,
    ),
  };
}

/** What is only about resources, where a supervisor comes late but comes. */
const supervised: readonly Protection[] = [
  'dies-with-us',
  'wall-time',
  'cpu-time',
  'cpu-rate',
  'memory',
  'pids',
  'disk',
  'output',
];

describe('the policy', () => {
  it('allows a driver whose every protection the kernel holds', () => {
    expect(judge(aReport('fake'), 'standard')).toEqual({ kind: 'allowed' });
    expect(judge(aReport('fake'), 'strict')).toEqual({ kind: 'allowed' });
  });

  it.each(protections)('refuses a driver that does not hold %s, and says the fix', (protection) => {
    const report = aReport('fake', { without: [protection] });
    for (const policy of ['standard', 'strict'] as const)
      expect(judge(report, policy)).toEqual({
        kind: 'refused',
        lack: {
          driver: 'fake',
          missing: [`${protection} is not held: it got through`],
          fixes: [`hold ${protection}`],
        },
      });
  });

  it.each(protections)(
    'takes a supervisor for %s only where it is about resources',
    (protection) => {
      const kind = judge(reportWith(protection, 'supervisor'), 'standard').kind;
      expect(kind).toBe(supervised.includes(protection) ? 'allowed' : 'refused');
    },
  );

  it.each(['memory', 'pids', 'disk', 'cpu-rate'] as const)(
    'wants the kernel to hold %s when it is strict',
    (protection) => {
      expect(judge(reportWith(protection, 'supervisor'), 'strict')).toMatchObject({
        kind: 'refused',
        lack: { missing: [expect.stringContaining('held by the supervisor only')] },
      });
    },
  );

  it('takes a protection that a report leaves out as not held', () => {
    const report = { ...aReport('fake'), protections: [] };
    const judged = judge(report, 'standard');
    expect(judged.kind === 'refused' && judged.lack.missing.length).toBe(protections.length);
  });

  it('tells a driver that does not work from one that holds too little', () => {
    const report = aReport('fake', {
      state: 'unavailable',
      message: 'no bwrap',
      fix: 'install it',
    });
    expect(judge(report, 'standard')).toEqual({
      kind: 'unavailable',
      lack: { driver: 'fake', missing: ['no bwrap'], fixes: ['install it'] },
    });
  });
});
