import { describe, expect, it } from 'vitest';
import {
  absentSyscalls,
  allowedSyscalls,
  type Architecture,
  conditionalSyscalls,
  refusedSyscalls,
  syscallNumber,
  type SyscallNumbers,
  uncountedMemorySyscalls,
} from './syscalls.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { runBpf } from '../../../testkit/sandbox/seccomp/run-bpf.ts';

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const eperm = 0x0005_0001;
const enosys = 0x0005_0026;
const audit = { x64: 0xc000_003e, arm64: 0xc000_00b7, i386: 0x4000_0003, arm: 0x4000_0028 };
const architectures: readonly Architecture[] = ['x64', 'arm64'];

const byName = new Map<string, SyscallNumbers>([
  ...Object.entries(allowedSyscalls),
  ...Object.entries(refusedSyscalls),
  ...Object.entries(absentSyscalls),
  ...conditionalSyscalls.map(({ name, numbers }) => [name, numbers] as const),
]);

function ask(architecture: Architecture, name: string, ...args: (number | bigint)[]): number {
  const number = syscallNumber(byName.get(name) ?? [null, null], architecture);
  if (number === null) throw new Error(`${architecture} has no ${name}`);
  const seen = { number, architecture: audit[architecture], args: args.map(BigInt) };
  return runBpf(seccompFilter(architecture), seen).answer;
}

describe.each(architectures)('the filter for %s', (architecture) => {
  const filter = seccompFilter(architecture);
  const answerTo = (number: number, abi = audit[architecture]): number =>
    runBpf(filter, { number, architecture: abi }).answer;

  it('answers every number as the tables say, and every other number with ENOSYS', () => {
    const conditional = new Set(
      conditionalSyscalls.map(({ numbers }) => syscallNumber(numbers, architecture)),
    );
    const numbersOf = (table: Readonly<Record<string, SyscallNumbers>>): Set<number | null> =>
      new Set(Object.values(table).map((numbers) => syscallNumber(numbers, architecture)));
    const allowed = numbersOf(allowedSyscalls);
    const refused = numbersOf(refusedSyscalls);
    for (let number = 0; number < 1024; number += 1) {
      if (conditional.has(number)) continue;
      const expected = allowed.has(number) ? allow : refused.has(number) ? eperm : enosys;
      expect([number, answerTo(number)]).toEqual([number, expected]);
    }
    expect(answerTo(0x3fff_ffff)).toBe(enosys);
  });

  it('names each number once', () => {
    const numbers = [...byName.values()]
      .map((pair) => syscallNumber(pair, architecture))
      .filter((number) => number !== null);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('kills a process that calls through another architecture', () => {
    const others = Object.values(audit).filter((abi) => abi !== audit[architecture]);
    expect(others.map((abi) => answerTo(0, abi))).toEqual([kill, kill, kill]);
  });

  it('decides within 30 steps', () => {
    for (let number = 0; number < 600; number += 1) {
      const seen = { number, architecture: audit[architecture], args: [16n, 3n, 0n] };
      expect(runBpf(filter, seen).steps).toBeLessThanOrEqual(30);
    }
    expect(filter.length / 8).toBeLessThanOrEqual(4096);
  });

  it('lets clone make threads and processes but no namespaces, and hides clone3', () => {
    expect(ask(architecture, 'clone', 0x3d_0f00)).toBe(allow);
    expect(ask(architecture, 'clone', 17)).toBe(allow);
    for (const flag of [1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30]) {
      expect(ask(architecture, 'clone', 17 | flag)).toBe(eperm);
    }
    expect(ask(architecture, 'clone3')).toBe(enosys);
  });

  it('opens sockets of the local, internet and routing families only, and never raw ones', () => {
    const cloexec = 0o2_000_000;
    for (const [family, type, protocol] of [
      [1, 1, 0],
      [1, 5 | cloexec, 0],
      [2, 1 | cloexec, 6],
      [10, 2, 17],
      [16, 3, 0],
    ] as const) {
      expect(ask(architecture, 'socket', family, type, protocol)).toBe(allow);
    }
    for (const [family, type, protocol] of [
      [40, 1, 0],
      [17, 3, 0x300],
      [38, 5, 0],
      [2, 3, 1],
      [10, 3, 58],
      [2, 5, 0],
      [2, 1, 132],
      [1, 3, 0],
      [16, 3, 15],
    ] as const) {
      expect(ask(architecture, 'socket', family, type, protocol)).toBe(eperm);
    }
  });

  it('lets nobody take back that it dies with its parent, or hide its own memory', () => {
    expect(ask(architecture, 'prctl', 1, 9)).toBe(allow);
    for (const signal of [0, 15, 17, 64]) expect(ask(architecture, 'prctl', 1, signal)).toBe(eperm);
    expect(ask(architecture, 'prctl', 1, 1n << 32n)).toBe(eperm);
    expect(ask(architecture, 'prctl', 35, 14)).toBe(eperm);
    for (const option of [4, 15, 22, 38]) expect(ask(architecture, 'prctl', option, 1)).toBe(allow);
  });

  it('gives nobody a handle of the process at the other end of a socket', () => {
    expect(ask(architecture, 'getsockopt', 0, 1, 77)).toBe(eperm);
    expect(ask(architecture, 'setsockopt', 0, 1, 76)).toBe(eperm);
    expect(ask(architecture, 'getsockopt', 0, 1, 17)).toBe(allow);
    expect(ask(architecture, 'getsockopt', 0, 41, 77)).toBe(allow);
    expect(ask(architecture, 'setsockopt', 0, 41, 76)).toBe(allow);
  });

  it('hides what it is told to hide', () => {
    const hiding = seccompFilter(architecture, uncountedMemorySyscalls);
    for (const numbers of Object.values(uncountedMemorySyscalls)) {
      const number = syscallNumber(numbers, architecture) ?? -1;
      const seen = { number, architecture: audit[architecture] };
      expect(runBpf(hiding, seen).answer).toBe(enosys);
      expect(runBpf(filter, seen).answer).toBe(allow);
    }
  });

  it('is not misled by rubbish in the high half of an argument', () => {
    const high = 0xdead_beef_0000_0000n;
    expect(ask(architecture, 'ioctl', 0, high | 0x5412n)).toBe(eperm);
    expect(ask(architecture, 'socket', high | 40n, 1, 0)).toBe(eperm);
    expect(ask(architecture, 'socket', high | 2n, high | 3n, 0)).toBe(eperm);
    expect(ask(architecture, 'clone', high | 0x1000_0000n)).toBe(eperm);
    expect(ask(architecture, 'personality', high | 0x40_0000n)).toBe(eperm);
  });

  it('refuses to type into terminals and lets other requests pass', () => {
    for (const request of [0x5412, 0x541c, 0x5423]) {
      expect(ask(architecture, 'ioctl', 0, request)).toBe(eperm);
    }
    for (const request of [0x5401, 0x5413, 0x541b, 0x8004_5430]) {
      expect(ask(architecture, 'ioctl', 0, request)).toBe(allow);
    }
  });

  it('knows the harmless personalities and makes pipes but no devices', () => {
    expect(ask(architecture, 'personality', 0xffff_ffff)).toBe(allow);
    expect(ask(architecture, 'personality', 0x40_0000)).toBe(eperm);
    expect(ask(architecture, 'mknodat', 0, 0, 0o010_644)).toBe(allow);
    expect(ask(architecture, 'mknodat', 0, 0, 0o020_666)).toBe(eperm);
    expect(ask(architecture, 'mknodat', 0, 0, 0o060_666)).toBe(eperm);
  });
});

it('kills calls of the x32 ABI, which come as x64 with bit 30 set', () => {
  for (const number of [0x4000_0000, 0x4000_0027, 0xffff_ffff]) {
    const seen = { number, architecture: audit.x64 };
    expect(runBpf(seccompFilter('x64'), seen).answer).toBe(kill);
  }
});
