/**
 * Classic BPF as the kernel's seccomp reads it. A fragment is a piece of program whose every path ends
 * in a return, so that fragments are put together by distance alone: there are no labels.
 */
export interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly operand: number;
}

export type Fragment = readonly Instruction[];

/** BPF_LD|BPF_W|BPF_ABS, BPF_ALU|BPF_AND|BPF_K, BPF_JMP|{JA,JEQ|K,JGE|K}, BPF_RET|BPF_K. */
export const bpfCodes = {
  load: 0x20,
  and: 0x54,
  jump: 0x05,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  return: 0x06,
} as const;

/** The kernel takes no longer program. */
const maxInstructions = 4096;
/** Conditional jumps have one byte for each distance. */
const maxConditionalJump = 255;
const instructionBytes = 8;

export function load(offset: number): Instruction {
  return instruction(bpfCodes.load, { operand: offset });
}

export function and(mask: number): Instruction {
  return instruction(bpfCodes.and, { operand: mask });
}

export function giveBack(value: number): Fragment {
  return [instruction(bpfCodes.return, { operand: value })];
}

export function jumpIfEqual(
  value: number,
  distance: { readonly whenTrue?: number; readonly whenFalse?: number },
): Instruction {
  return instruction(bpfCodes.jumpIfEqual, { operand: value, ...distance });
}

/** Continues with one of two fragments, whatever their lengths. */
export function branchIfAtLeast(value: number, yes: Fragment, no: Fragment): Fragment {
  if (no.length <= maxConditionalJump) {
    const test = { operand: value, whenTrue: no.length };
    return [instruction(bpfCodes.jumpIfAtLeast, test), ...no, ...yes];
  }
  return [
    instruction(bpfCodes.jumpIfAtLeast, { operand: value, whenFalse: 1 }),
    instruction(bpfCodes.jump, { operand: no.length }),
    ...no,
    ...yes,
  ];
}

/** The program as an array of the kernel's `struct sock_filter`, little endian. */
export function assemble(program: Fragment): Buffer {
  if (program.length > maxInstructions) {
    throw new RangeError(
      `A filter of ${program.length} instructions is longer than the kernel's ${maxInstructions}.`,
    );
  }
  const bytes = Buffer.alloc(program.length * instructionBytes);
  for (const [index, { code, whenTrue, whenFalse, operand }] of program.entries()) {
    const at = index * instructionBytes;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(whenTrue, at + 2);
    bytes.writeUInt8(whenFalse, at + 3);
    bytes.writeUInt32LE(operand, at + 4);
  }
  return bytes;
}

function instruction(
  code: number,
  parts: { readonly operand: number; readonly whenTrue?: number; readonly whenFalse?: number },
): Instruction {
  return { code, whenTrue: 0, whenFalse: 0, ...parts };
}
