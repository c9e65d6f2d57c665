import { describe, expect, it } from 'vitest';
import { assemble, branchIfAtLeast, giveBack, load } from './bpf.ts';
import { runBpf } from '../../../testkit/sandbox/seccomp/run-bpf.ts';

describe('an assembled program', () => {
  it('reaches both sides of a branch, however long they are', () => {
    // 600 instructions that change nothing, which is farther than a conditional jump goes.
    const long = Array.from({ length: 600 }, () => load(0));
    const no = [...long, ...giveBack(1)];
    const program = assemble([load(0), ...branchIfAtLeast(100, giveBack(2), no)]);
    expect(runBpf(program, { number: 99, architecture: 0 }).answer).toBe(1);
    expect(runBpf(program, { number: 100, architecture: 0 })).toEqual({ answer: 2, steps: 4 });
  });

  it('is refused when it is longer than the kernel takes', () => {
    const program = Array.from({ length: 4097 }, () => load(0));
    expect(() => assemble(program)).toThrow('4097 instructions');
  });
});
