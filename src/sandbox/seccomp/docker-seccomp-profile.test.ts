import { describe, expect, it } from 'vitest';
import { type Architecture, conditionalSyscalls, syscallNumber } from './syscalls.ts';
import { dockerSeccompProfile } from './docker-seccomp-profile.ts';
import type { DockerSeccompProfile } from './docker-seccomp-profile.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { runBpf } from '../../../testkit/sandbox/seccomp/run-bpf.ts';

const audit: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const architectures: readonly Architecture[] = ['x64', 'arm64'];

/** Values at and around every border the rules have, with and without rubbish above. */
const values = [
  0, 1, 2, 3, 5, 6, 8, 9, 10, 16, 17, 35, 40, 76, 77, 0x5401, 0x5411, 0x5412, 0x5413, 0x541c,
]
  .concat([0x541d, 0x5422, 0x5423, 0x5424, 0x1_5412, 0x2_0000, 0x2_0008, 0x4_0000, 0x8000])
  .concat([0x1000, 0x2000, 0x6000, 0xc000, 0x1000_0000, 0x8000_0000, 0xffff_ffff])
  .flatMap((value) => [BigInt(value), BigInt(value) | (1n << 40n)]);

describe.each(architectures)('the profile for %s', (architecture) => {
  const profile = dockerSeccompProfile(architecture);
  const filter = seccompFilter(architecture);

  it('allows what the filter allows, argument by argument', () => {
    const differing: unknown[] = [];
    for (const { name, numbers } of conditionalSyscalls) {
      const number = syscallNumber(numbers, architecture);
      if (number === null) continue;
      for (const first of values) {
        for (const second of values) {
          for (const third of [first, second]) {
            const args = [first, second, third];
            const seen = { number, architecture: audit[architecture], args };
            const isAllowed = runBpf(filter, seen).answer === 0x7fff_0000;
            if (allows(profile, name, args) !== isAllowed) differing.push([name, args]);
          }
        }
      }
    }
    expect(differing).toEqual([]);
  });

  it('tests no argument twice in a rule, which engines would read as "or"', () => {
    for (const { args = [] } of profile.syscalls) {
      expect(new Set(args.map(({ index }) => index)).size).toBe(args.length);
    }
  });

  it('names one architecture, refuses by default and hides clone3', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    expect(profile.architectures).toHaveLength(1);
    const rule = profile.syscalls.find(({ names }) => names.includes('clone3'));
    expect(rule).toMatchObject({ action: 'SCMP_ACT_ERRNO', errnoRet: 38 });
  });

  it('leaves out what the architecture does not have', () => {
    const names = profile.syscalls.flatMap((rule) => rule.names);
    expect(names.includes('open')).toBe(architecture === 'x64');
    expect(names).toContain('openat');
  });
});

function allows(profile: DockerSeccompProfile, name: string, args: readonly bigint[]): boolean {
  return profile.syscalls.some(
    (rule) =>
      rule.action === 'SCMP_ACT_ALLOW' &&
      rule.names.includes(name) &&
      (rule.args ?? []).every(
        ({ index, value, valueTwo }) => ((args[index] ?? 0n) & BigInt(value)) === BigInt(valueTwo),
      ),
  );
}
