/** Processor architectures we have filters for, named as Node names them. */
export type Architecture = 'x64' | 'arm64';

/** A system call's numbers on [x64, arm64]; null where it does not exist. */
export type SyscallNumbers = readonly [x64: number | null, arm64: number | null];

export type SyscallTable = Readonly<Record<string, SyscallNumbers>>;

/**
 * A test of one argument's low 32 bits. Every argument tested here is an int to the kernel, which
 * drops the high half: a test of all 64 bits would be passed by a value with rubbish in that half.
 */
export interface ArgumentTest {
  readonly argument: 0 | 1 | 2 | 3 | 4 | 5;
  /** Bits that count; all 32 unless told. */
  readonly mask?: number;
  readonly is: 'one-of' | 'none-of';
  readonly values: readonly number[];
}

/** A system call that is allowed when all tests of any one case hold. */
export interface ConditionalSyscall {
  readonly name: string;
  readonly numbers: SyscallNumbers;
  readonly cases: readonly (readonly ArgumentTest[])[];
}

export function syscallNumber(numbers: SyscallNumbers, architecture: Architecture): number | null {
  return numbers[architecture === 'x64' ? 0 : 1];
}
