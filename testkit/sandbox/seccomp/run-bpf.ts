import { bpfCodes } from '../../../src/sandbox/seccomp/bpf.ts';

/** What the kernel shows a filter of one system call. */
export interface SyscallSeen {
  readonly number: number;
  readonly architecture: number;
  readonly args?: readonly bigint[];
}

/** Runs an assembled filter as the kernel does, and says what it returns and after how many steps. */
export function runBpf(filter: Buffer, seen: SyscallSeen): { answer: number; steps: number } {
  const data = seccompData(seen);
  let accumulator = 0;
  let at = 0;
  // A classic program only jumps forward, so it ends after at most its own length.
  for (let steps = 1; steps <= filter.length / 8; steps += 1) {
    const code = filter.readUInt16LE(at * 8);
    const whenTrue = filter.readUInt8(at * 8 + 2);
    const whenFalse = filter.readUInt8(at * 8 + 3);
    const operand = filter.readUInt32LE(at * 8 + 4);
    at += 1;
    if (code === bpfCodes.return) return { answer: operand, steps };
    if (code === bpfCodes.load) accumulator = data.readUInt32LE(operand);
    else if (code === bpfCodes.and) accumulator = (accumulator & operand) >>> 0;
    else if (code === bpfCodes.jump) at += operand;
    else if (code === bpfCodes.jumpIfEqual) at += accumulator === operand ? whenTrue : whenFalse;
    else if (code === bpfCodes.jumpIfAtLeast) at += accumulator >= operand ? whenTrue : whenFalse;
    else throw new Error(`unknown instruction ${code} at ${at - 1}`);
  }
  throw new Error('the program ran off its end');
}

function seccompData({ number, architecture, args = [] }: SyscallSeen): Buffer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) {
    data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + 8 * index);
  }
  return data;
}
