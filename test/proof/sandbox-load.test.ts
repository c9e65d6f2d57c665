import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atATime } from '../support/at-a-time.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { looseTraces, openBubblewrap, type OpenedDriver } from '../support/sandbox/drivers.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../../testkit/sandbox/this-machine.ts';
import { openHostSide, type HostSide } from '../support/sandbox/host-side.ts';
import { readManifest, type HostileProgram } from '../support/sandbox/hostile-programs.ts';
import { runHostile } from '../support/sandbox/run-hostile.ts';
import {
  cgroupsOf,
  mountsNow,
  openFilesOf,
  sandboxNamespacesOf,
  zombiesOf,
} from '../support/sandbox/sandbox-traces.ts';

const runs = isProof ? 1_000 : 60;
const atOnce = 32;
const warmUpRuns = 32;
/** Half good, half hostile; of the hostile ones those that take a second or two, so that a thousand end. */
const good = [
  'c01_write_workspace',
  'c02_loopback_inside',
  'c05_exit_code',
  'c06_signal_exit',
  'r21_stdin_hang',
  't22_forged_report',
];
const hostile = [
  'e01_env_leak',
  'e21_forged_marks',
  'e22_closed_descriptors',
  'e24_pipe_holder',
  'e25_binary_output',
  'e26_interleaved_flood',
  'e28_endless_line',
  'f05_symlink_artifact',
  'f20_special_artifacts',
  'f23_artifact_race',
  'k09_kill_host',
  'k26_namespaces',
  'k36_stop_everything',
  'n01_tcp_host_loopback',
  'r01_infinite_loop',
  'r04_daemonize',
  'r06_fork_bomb',
  'r09_memory_bomb',
  'r13_disk_fill',
  'r16_output_flood',
  'r19_fd_exhaust',
  'r41_fork_walk',
  't20_kill_itself',
  'x22_node_memory',
];
/** Thirty-two at once on two processors: what takes a second alone may take many. */
const patience = 6;
/** What the heap of a process that has run a few hundred programs may differ by. */
const memorySlackBytes = 96 * 1024 * 1024;

const limitMs = isProof ? 3_600_000 : 300_000;

let host: HostSide;
let opened: OpenedDriver;

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`a thousand runs${whyNoBubblewrap}`, () => {
  beforeAll(async () => {
    host = await openHostSide();
    opened = openBubblewrap();
  });
  afterAll(async () => {
    await opened.close();
    await host.close();
  });

  it(
    `of good and hostile programs, ${atOnce} at a time, end right and leave nothing behind (${runs} runs)`,
    { timeout: limitMs },
    async () => {
      const programs = chosen();
      const mounts = mountsNow();
      const complaints: string[] = [];
      const run = async (program: HostileProgram): Promise<void> => {
        const ended = await runHostile(program, {
          driver: opened.driver,
          traces: looseTraces,
          host,
        });
        complaints.push(...ended.complaints.map((complaint) => `${program.id}: ${complaint}`));
      };
      await atATime(atOnce, programs.slice(0, warmUpRuns), run);
      const before = footprint();
      await atATime(atOnce, programs.slice(warmUpRuns), run);
      const after = footprint();

      expect(complaints).toEqual([]);
      expect(after.openFiles).toBeLessThanOrEqual(before.openFiles + 2);
      expect(after.memoryBytes).toBeLessThan(before.memoryBytes + memorySlackBytes);
      expect(sandboxNamespacesOf(process.pid)).toEqual(new Set());
      expect(zombiesOf(process.pid)).toEqual([]);
      expect(cgroupsOf(process.pid)).toEqual([]);
      expect(mountsNow()).toEqual(mounts);
    },
  );
});

function chosen(): HostileProgram[] {
  const random = seededRandom(31);
  const { programs } = readManifest();
  const find = (id: string): HostileProgram => {
    const found = programs.find((program) => program.id === id);
    if (!found) throw new Error(`no program ${id} in the manifest`);
    const isTimed = found.expect.includes('killed:timeout');
    const wallMs = (found.limits.wallMs ?? 10_000) * (isTimed ? 1 : patience);
    // These want to end early; how early is a matter of the load.
    const hostChecks = found.hostChecks.filter((check) => check !== 'ends-early');
    return { ...found, limits: { ...found.limits, wallMs }, hostChecks };
  };
  return Array.from({ length: runs }, (_, index) => {
    const from = index % 2 === 0 ? good : hostile;
    return find(from[Math.floor(random() * from.length)] ?? '');
  });
}

function footprint(): { openFiles: number; memoryBytes: number } {
  return { openFiles: openFilesOf('self'), memoryBytes: process.memoryUsage.rss() };
}
