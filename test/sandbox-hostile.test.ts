import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isProof, sampleSeeded } from '../testkit/sample.ts';
import { openBubblewrap, openDocker, type OpenedDriver } from './support/sandbox/drivers.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { openHostSide, type HostSide } from './support/sandbox/host-side.ts';
import {
  outcomesOf,
  readManifest,
  type HostileProgram,
} from './support/sandbox/hostile-programs.ts';
import { runHostile, type HostileRun } from './support/sandbox/run-hostile.ts';
import { cgroupsOf, mountsNow, zombiesOf } from './support/sandbox/sandbox-traces.ts';

const manifest = readManifest();
const limitMs = 120_000;
/** The second looks for the first. */
const pairIds = ['c20_neighbour', 'f29_neighbours'];
const pair = pairIds.flatMap((id) => manifest.programs.filter((program) => program.id === id));
const alone = manifest.programs.filter(({ id }) => !pairIds.includes(id));
/** A container takes longer to start than most programs to run. */
const containers = 30;

/** Those that are held by other means where no cgroup counts. */
const withoutCgroup = 12;
const resources = alone.filter(({ category }) => category === 'resource');

const drivers = [
  {
    name: 'bubblewrap',
    driver: 'bubblewrap',
    open: async () => (bubblewrapMissing ? whyNoBubblewrap : openBubblewrap()),
    programs: alone,
  },
  {
    name: 'bubblewrap without a cgroup',
    driver: 'bubblewrap',
    open: async () =>
      bubblewrapMissing ? whyNoBubblewrap : openBubblewrap(undefined, [], ['watchdog']),
    programs: isProof ? alone : sampleSeeded(resources, withoutCgroup, 7),
    // Memory of sockets is judged by what the machine has left: what others free at the same moment hides it.
    retry: 1,
  },
  {
    name: 'docker',
    driver: 'docker',
    open: openDocker,
    programs: sampleSeeded(alone, containers, 7),
  },
];

describe('the manifest of hostile programs', () => {
  it('lists every program that lies beside it, and only those', () => {
    const files = readdirSync(new URL('hostile/', import.meta.url)).filter(
      (name) => /\.(?:py|cjs|sh)$/.test(name) && name !== 'prelude.py',
    );
    expect(manifest.programs.map(({ file }) => file).sort()).toEqual(files.sort());
  });

  it('explains every check it asks for', () => {
    const asked = new Set(manifest.programs.flatMap(({ hostChecks }) => hostChecks));
    expect([...asked].filter((check) => manifest.hostChecks[check] === undefined)).toEqual([]);
  });

  it('does not take the exit code 0 of a program that reported nothing for a success', () => {
    const nothing = {
      stdout: Buffer.alloc(0),
      stderr: Buffer.alloc(0),
      files: [],
      observations: [],
    };
    const usage = { wallMs: 1, cpuMs: 1, peakMemoryBytes: 1 };
    const ended = { status: 'exited', exitCode: 0, signal: null, reason: null } as const;
    const result = { ...nothing, ...ended, usage, truncated: false, driver: 'any' };
    expect(outcomesOf(result)).toEqual(['exit:0', 'no-report']);
    const said = Buffer.from('VERDICT: ESCAPED\nVERDICT: OK\n');
    expect(outcomesOf({ ...result, stdout: said })).toEqual(['escaped']);
  });
});

for (const { name, driver, open, programs, retry = 0 } of drivers)
  describe(`on ${name}`, () => {
    let host: HostSide;
    let opened: OpenedDriver | string;
    let mounts: readonly string[];

    beforeAll(async () => {
      host = await openHostSide();
      opened = await open();
      mounts = mountsNow();
    }, limitMs);
    afterAll(async () => {
      if (typeof opened !== 'string') await opened.close();
      await host.close();
    }, limitMs);

    const run = (program: HostileProgram, skip: (reason: string) => never): Promise<HostileRun> =>
      typeof opened === 'string' ? skip(opened) : runHostile(program, { ...opened, host });

    for (const program of programs) {
      if (program.drivers?.includes(driver) === false) continue;
      const { id, title } = program;
      it.concurrent(
        `${id} ends as expected: ${title}`,
        { timeout: limitMs, retry },
        async ({ skip }) => {
          const { complaints } = await run(program, skip);
          expect(complaints).toEqual([]);
        },
      );
    }

    it(
      'one sandbox finds nothing of another that runs beside it',
      { timeout: limitMs },
      async ({ skip }) => {
        const ended = await Promise.all(pair.map((program) => run(program, skip)));
        expect(ended.flatMap(({ complaints }) => complaints)).toEqual([]);
      },
    );

    it('nothing of them is left', () => {
      expect(cgroupsOf(process.pid)).toEqual([]);
      expect(zombiesOf(process.pid)).toEqual([]);
      expect(mountsNow()).toEqual(mounts);
    });
  });
