import {
  allowedSyscalls,
  type Architecture,
  type ArgumentTest,
  type ConditionalSyscall,
  conditionalSyscalls,
  refusedSyscalls,
  syscallNumber,
  type SyscallTable,
} from './syscalls.ts';
import { and, assemble, branchIfAtLeast, giveBack, jumpIfEqual, load } from './bpf.ts';
import type { Fragment, Instruction } from './bpf.ts';

const allow = giveBack(0x7fff_0000);
const killProcess = giveBack(0x8000_0000);
const refuse = giveBack(0x0005_0000 | 1);
const doesNotExist = giveBack(0x0005_0000 | 38);

/** AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64. */
const auditArchitectures: Readonly<Record<Architecture, number>> = {
  x64: 0xc000_003e,
  arm64: 0xc000_00b7,
};

/** Calls of the x32 ABI come as x86-64 with this bit in their number. */
const x32Bit = 0x4000_0000;

/** Offsets in the kernel's `struct seccomp_data`. */
const numberOffset = 0;
const architectureOffset = 4;
const argumentsOffset = 16;
const argumentBytes = 8;

/**
 * The filter of system calls, as `bwrap --seccomp` reads it. It kills what calls through another ABI
 * than the machine's own (int 0x80, x32), and finds the rest by a binary search over the numbers. What
 * is `hidden` does not exist for the program, whatever the tables say.
 */
export function seccompFilter(architecture: Architecture, hidden: SyscallTable = {}): Buffer {
  const search = searchTree(rangesOf(architecture, hidden));
  const afterAbi = architecture === 'x64' ? branchIfAtLeast(x32Bit, killProcess, search) : search;
  return assemble([
    load(architectureOffset),
    jumpIfEqual(auditArchitectures[architecture], { whenTrue: killProcess.length }),
    ...killProcess,
    load(numberOffset),
    ...afterAbi,
  ]);
}

/** Numbers from `first` to the next range's first, all with the same answer. */
interface Range {
  readonly first: number;
  readonly answer: Fragment;
}

function rangesOf(architecture: Architecture, hidden: SyscallTable): Range[] {
  const answers = new Map<number, Fragment>();
  const put = (numbers: readonly [number | null, number | null], answer: Fragment): void => {
    const number = syscallNumber(numbers, architecture);
    if (number !== null) answers.set(number, answer);
  };
  for (const numbers of Object.values(allowedSyscalls)) put(numbers, allow);
  for (const numbers of Object.values(refusedSyscalls)) put(numbers, refuse);
  for (const syscall of conditionalSyscalls) put(syscall.numbers, decide(syscall));
  for (const numbers of Object.values(hidden)) put(numbers, doesNotExist);

  const ranges: Range[] = [];
  const end = Math.max(...answers.keys()) + 1;
  for (let number = 0; number <= end; number += 1) {
    const answer = answers.get(number) ?? doesNotExist;
    if (ranges.at(-1)?.answer !== answer) ranges.push({ first: number, answer });
  }
  return ranges;
}

/** Depth is the logarithm of the number of ranges, which is in the hundreds. */
function searchTree(ranges: readonly Range[]): Fragment {
  const middle = ranges[Math.floor(ranges.length / 2)];
  if (middle === undefined) return doesNotExist;
  if (ranges.length === 1) return middle.answer;
  const half = Math.floor(ranges.length / 2);
  return branchIfAtLeast(
    middle.first,
    searchTree(ranges.slice(half)),
    searchTree(ranges.slice(0, half)),
  );
}

/** The cases one after the other; a test that fails goes on to the next case. */
function decide(syscall: ConditionalSyscall): Fragment {
  let otherwise = refuse;
  for (const tests of syscall.cases.toReversed()) {
    let body = allow;
    for (const test of tests.toReversed()) {
      body = [...testArgument(test, body.length), ...body];
    }
    otherwise = [...body, ...otherwise];
  }
  return otherwise;
}

/** Falls through when the test holds, otherwise skips `failDistance` instructions behind itself. */
function testArgument(test: ArgumentTest, failDistance: number): Instruction[] {
  const compares = test.values.map((value, index) => {
    const left = test.values.length - 1 - index;
    if (test.is === 'none-of') return jumpIfEqual(value, { whenTrue: left + failDistance });
    if (left > 0) return jumpIfEqual(value, { whenTrue: left });
    return jumpIfEqual(value, { whenFalse: failDistance });
  });
  // The low half comes first: both architectures are little endian.
  const start = load(argumentsOffset + test.argument * argumentBytes);
  return test.mask === undefined ? [start, ...compares] : [start, and(test.mask), ...compares];
}
