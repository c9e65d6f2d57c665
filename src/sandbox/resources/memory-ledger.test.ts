import { describe, expect, it } from 'vitest';
import {
  hiddenCapacity,
  type MemoryHolder,
  MemoryLedger,
  unattributedMemory,
  visibleTemporaryFiles,
} from './memory-ledger.ts';

const mebibyte = 1024 * 1024;
const limitBytes = 512 * mebibyte;

interface Program extends MemoryHolder {
  shownMiB: number;
  commonMiB: number;
  capacityMiB: number;
}

function aProgram(change: Partial<Program> = {}): Program {
  return {
    shownMiB: 10,
    commonMiB: 0,
    capacityMiB: 5000,
    measure() {
      return { bytes: this.shownMiB * mebibyte, commonBytes: this.commonMiB * mebibyte };
    },
    hiddenCapacity() {
      return this.capacityMiB * mebibyte;
    },
    ...change,
  };
}

function aLedger(...programs: readonly Program[]): {
  machine: { usedMiB: number };
  memoryOf: (program: Program) => number;
} {
  const machine = { usedMiB: 1000 };
  const ledger = new MemoryLedger(() => machine.usedMiB * mebibyte);
  for (const program of programs) ledger.open(program);
  const memoryOf = (program: Program): number =>
    ledger.add(program, program.measure(), limitBytes) / mebibyte;
  return { machine, memoryOf };
}

describe('the memory of a program', () => {
  it('includes what the machine lost since it started and no program shows', () => {
    const program = aProgram();
    const { machine, memoryOf } = aLedger(program);
    expect(memoryOf(program)).toBe(10);
    machine.usedMiB += 600;
    expect(memoryOf(program)).toBe(610);
  });

  it('does not count twice what it shows', () => {
    const program = aProgram();
    const { machine, memoryOf } = aLedger(program);
    machine.usedMiB += 400;
    Object.assign(program, { shownMiB: 410, commonMiB: 400 });
    expect(memoryOf(program)).toBe(410);
  });

  it('is not what a machine loses all the time', () => {
    const program = aProgram({ shownMiB: 480 });
    const { machine, memoryOf } = aLedger(program);
    machine.usedMiB += 60;
    expect(memoryOf(program)).toBe(480);
  });

  it('is charged to the program that could hold most of it', () => {
    const [innocent, guilty] = [aProgram(), aProgram({ capacityMiB: 9000 })];
    const { machine, memoryOf } = aLedger(innocent, guilty);
    machine.usedMiB += 600;
    expect(memoryOf(innocent)).toBe(10);
    expect(memoryOf(guilty)).toBe(610);
  });

  it('is not charged to a program that cannot hold it', () => {
    const program = aProgram({ capacityMiB: 100 });
    const { machine, memoryOf } = aLedger(program);
    machine.usedMiB += 600;
    expect(memoryOf(program)).toBe(10);
  });

  it('is not that of another program, also when that has just ended', () => {
    const machine = { usedMiB: 1000 };
    const ledger = new MemoryLedger(() => machine.usedMiB * mebibyte);
    const [one, other] = [aProgram(), aProgram()];
    ledger.open(one);
    ledger.open(other);
    machine.usedMiB += 600;
    other.commonMiB = 600;
    const memoryOfOne = (): number => ledger.add(one, one.measure(), limitBytes) / mebibyte;
    expect(memoryOfOne()).toBe(10);
    ledger.end(other, limitBytes + 200 * mebibyte);
    ledger.close(other);
    expect(memoryOfOne()).toBe(10);
  });

  it('is not hidden by small programs that end all the time beside it', () => {
    const machine = { usedMiB: 1000 };
    const ledger = new MemoryLedger(() => machine.usedMiB * mebibyte);
    const program = aProgram();
    ledger.open(program);
    machine.usedMiB += 600;
    for (let run = 0; run < 10; run += 1) {
      const small = aProgram();
      ledger.open(small);
      machine.usedMiB += 10;
      ledger.end(small, limitBytes);
      ledger.close(small);
    }
    expect(ledger.add(program, program.measure(), limitBytes) / mebibyte).toBe(610);
  });

  it('is not hidden by programs that ended by themselves', () => {
    const machine = { usedMiB: 1000 };
    const ledger = new MemoryLedger(() => machine.usedMiB * mebibyte);
    const [program, other] = [aProgram(), aProgram({ commonMiB: 20 })];
    ledger.open(other);
    ledger.open(program);
    machine.usedMiB += 620;
    ledger.end(other, 0);
    ledger.close(other);
    expect(ledger.add(program, program.measure(), limitBytes) / mebibyte).toBe(630);
  });

  it('cannot be known where the machine tells nothing', () => {
    expect(new MemoryLedger(() => undefined).isTold).toBe(false);
    expect(new MemoryLedger(() => 1).isTold).toBe(true);
  });
});

const meminfo = `MemTotal:       1000 kB
MemFree:         100 kB
Buffers:          20 kB
Cached:          200 kB
SwapCached:        5 kB
AnonPages:       300 kB
Shmem:            50 kB
SReclaimable:     25 kB
`;

describe('memory that no process shows', () => {
  it('is what is used beside private memory and caches; shared memory is part of it', () => {
    expect(unattributedMemory(meminfo)).toBe((1000 - 100 - 20 - 150 - 5 - 300 - 25) * 1024);
  });

  it('is not told where a part of it is not', () => {
    expect(unattributedMemory(meminfo.replace('AnonPages', 'Other'))).toBeUndefined();
    expect(unattributedMemory('')).toBeUndefined();
  });

  // What it looks at only Linux has.
  it.skipIf(process.platform !== 'linux')(
    'can be held by processes that are there, as far as they show it',
    () => {
      expect(hiddenCapacity([])).toBe(0);
      expect(hiddenCapacity([process.pid])).toBeGreaterThan(2 ** 20);
      expect(hiddenCapacity([2 ** 30])).toBe(Infinity);
      expect(visibleTemporaryFiles()).toBeGreaterThanOrEqual(0);
    },
  );
});
