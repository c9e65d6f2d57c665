import {
  absentSyscalls,
  allowedSyscalls,
  type Architecture,
  type ArgumentTest,
  conditionalSyscalls,
  refusedSyscalls,
  syscallNumber,
  type SyscallTable,
} from './syscalls.ts';

/** One rule of Docker's seccomp format. All arguments of a rule must match. */
export interface DockerSeccompRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly DockerSeccompArgument[];
}

/** Matches when `argument & value` is `valueTwo`. */
export interface DockerSeccompArgument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: 'SCMP_CMP_MASKED_EQ';
}

export interface DockerSeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly DockerSeccompRule[];
}

const EPERM = 1;
const ENOSYS = 38;
const allBits = 0xffff_ffff;

const architectureNames: Readonly<Record<Architecture, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
};

/**
 * The same filter as `seccompFilter`, in the words of Docker and Podman. With a single architecture
 * listed, calls through any other ABI are killed. Engines that do not know `defaultErrnoRet` answer
 * unknown calls with EPERM, which is as safe.
 */
export function dockerSeccompProfile(architecture: Architecture): DockerSeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ENOSYS,
    architectures: [architectureNames[architecture]],
    syscalls: [
      { names: namesOf(allowedSyscalls, architecture), action: 'SCMP_ACT_ALLOW' },
      {
        names: namesOf(refusedSyscalls, architecture),
        action: 'SCMP_ACT_ERRNO',
        errnoRet: EPERM,
      },
      {
        names: namesOf(absentSyscalls, architecture),
        action: 'SCMP_ACT_ERRNO',
        errnoRet: ENOSYS,
      },
      ...conditionalRules(architecture),
    ],
  };
}

function namesOf(table: SyscallTable, architecture: Architecture): string[] {
  return Object.entries(table)
    .filter(([, numbers]) => syscallNumber(numbers, architecture) !== null)
    .map(([name]) => name);
}

function conditionalRules(architecture: Architecture): DockerSeccompRule[] {
  return conditionalSyscalls
    .filter(({ numbers }) => syscallNumber(numbers, architecture) !== null)
    .flatMap(({ name, cases }) =>
      cases
        .flatMap((tests) => combinations(tests.map(matchesOf)))
        .map((args) => ({ names: [name], action: 'SCMP_ACT_ALLOW', args }) as const),
    );
}

/** Every way to take one match of each test. The tables keep the product below a few dozen. */
function combinations(
  choices: readonly (readonly DockerSeccompArgument[])[],
): readonly (readonly DockerSeccompArgument[])[] {
  let all: readonly (readonly DockerSeccompArgument[])[] = [[]];
  for (const matches of choices) {
    all = all.flatMap((chosen) => matches.map((match) => [...chosen, match]));
  }
  return all;
}

function matchesOf(test: ArgumentTest): DockerSeccompArgument[] {
  const mask = test.mask ?? allBits;
  const pairs =
    test.is === 'one-of'
      ? test.values.map((value) => ({ mask, value }))
      : everythingBut(test.values);
  return pairs.map((pair) => ({
    index: test.argument,
    value: pair.mask,
    valueTwo: pair.value,
    op: 'SCMP_CMP_MASKED_EQ',
  }));
}

/**
 * All 32-bit numbers but these, as masked comparisons: the format joins rules of one call by "or"
 * alone and cannot say "neither a nor b". A number is covered at its first bit, from the top, that
 * differs from all of `values` that were like it so far.
 */
function everythingBut(values: readonly number[]): { mask: number; value: number }[] {
  const found: { mask: number; value: number }[] = [];
  let groups: readonly (readonly number[])[] = [values];
  for (let bit = 31; bit >= 0; bit -= 1) {
    const mask = (allBits << bit) >>> 0;
    const split = groups.flatMap((group) => {
      const zeros = group.filter((value) => ((value >>> bit) & 1) === 0);
      const ones = group.filter((value) => ((value >>> bit) & 1) === 1);
      const alike = (((group[0] ?? 0) & mask) >>> 0) & ~(1 << bit);
      if (zeros.length === 0) found.push({ mask, value: alike >>> 0 });
      if (ones.length === 0) found.push({ mask, value: (alike | (1 << bit)) >>> 0 });
      return [zeros, ones];
    });
    groups = split.filter((group) => group.length > 0);
  }
  return found;
}
