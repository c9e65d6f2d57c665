import { describe, expect, it, onTestFinished } from 'vitest';
import type { Protection } from '../src/contract/sandbox/index.ts';
import { openBubblewrap } from './support/sandbox/drivers.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { openHostSide } from './support/sandbox/host-side.ts';
import { readManifest, type HostileProgram } from './support/sandbox/hostile-programs.ts';
import { runHostile } from './support/sandbox/run-hostile.ts';

interface Absence {
  readonly without: Protection;
  /** Bounds itself, so that it may be let go. */
  readonly program: string;
  readonly limits?: HostileProgram['limits'];
  /** What it should have ended as, where the manifest allows more. */
  readonly expected?: string;
  /** What is complained of when the protection is missing. */
  readonly shows: RegExp;
}

/** Only those that no other layer covers, and programs that do no harm when they get through. */
const absences: readonly Absence[] = [
  { without: 'network', program: 'n01_tcp_host_loopback', shows: /the host heard: tcp/ },
  { without: 'host-files', program: 'f24_canary_paths', shows: /escaped/ },
  { without: 'host-identity', program: 'f13_host_identity', shows: /escaped/ },
  { without: 'capabilities', program: 'k03_setuid', shows: /CapEff/ },
  { without: 'system-calls', program: 'n05_exotic_families', shows: /escaped/ },
  { without: 'memory', program: 'r09_memory_bomb', shows: /2 GiB touched/ },
  { without: 'disk', program: 'r13_disk_fill', shows: /1024 MiB written/ },
  {
    without: 'cpu-time',
    program: 'r40_cpu_in_children',
    limits: { cpuMs: 300, wallMs: 5_000, pids: 64, memoryMb: 256 },
    shows: /killed:timeout instead of killed:cpu/,
  },
  {
    without: 'wall-time',
    program: 'r01_infinite_loop',
    limits: { wallMs: 1_000, cpuMs: 2_000 },
    shows: /killed:cpu instead of killed:timeout/,
  },
  {
    without: 'output',
    program: 'e27_tiny_writes',
    limits: { wallMs: 20_000, outputKb: 16 },
    expected: 'killed:output',
    shows: /instead of killed:output/,
  },
];

const limitMs = 120_000;
const { programs } = readManifest();

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(
  `without one protection a program gets through that is held otherwise${whyNoBubblewrap}`,
  () => {
    it.each(absences)('$without', { timeout: limitMs }, async (absence) => {
      const host = await openHostSide();
      const whole = openBubblewrap();
      const weakened = openBubblewrap(undefined, [absence.without]);
      onTestFinished(async () => {
        await whole.close();
        await weakened.close();
        await host.close();
      });
      const program = programOf(absence);
      expect((await runHostile(program, { ...whole, host })).complaints).toEqual([]);
      const { complaints } = await runHostile(program, { ...weakened, host });
      expect(complaints.join('\n')).toMatch(absence.shows);
    });
  },
);

function programOf({ program: id, limits, expected }: Absence): HostileProgram {
  const found = programs.find((program) => program.id === id);
  if (!found) throw new Error(`no program ${id} in the manifest`);
  return {
    ...found,
    limits: limits ?? found.limits,
    expect: expected === undefined ? found.expect : [expected],
  };
}
