import { spawnSync } from 'node:child_process';
import { vi } from 'vitest';
import type {
  OutputPiece,
  SandboxLimits,
  SandboxResult,
} from '../../../src/contract/sandbox/index.ts';
import type { PreparedSandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import {
  limitsOf,
  outcomesOf,
  sourceOf,
  startOf,
  type HostileProgram,
} from './hostile-programs.ts';
import type { HostSide } from './host-side.ts';
import type { NamespaceView } from './sandbox-traces.ts';

/** What a driver leaves on the host while a sandbox is there, and must not leave after it. */
export interface Traces {
  /** Calls `prepare` and tells how to see the processes of just that sandbox. */
  follow(prepare: () => Promise<PreparedSandbox>): Promise<Followed>;
}

interface Followed {
  readonly sandbox: PreparedSandbox;
  readonly view: NamespaceView;
}

export interface Surroundings {
  readonly driver: SandboxDriver;
  readonly host: HostSide;
  readonly traces: Traces;
}

export interface HostileRun {
  readonly result: Omit<SandboxResult, 'wasWarm'>;
  /** What did not end as the manifest says, or was seen on the host. Empty when the sandbox held. */
  readonly complaints: readonly string[];
}

const collect = { paths: [], maxFiles: 200, maxBytes: 4 * 1024 * 1024 };
/** The promise of the drivers, and what a busy machine may need to show it. */
const survivalMs = 2_000;
/** Between two beats of this process; a machine that is overrun misses them for longer. */
const longestPauseMs = 10_000;
const pieceLimit = 64;

interface Observed {
  readonly program: HostileProgram;
  readonly limits: SandboxLimits;
  readonly result: Omit<SandboxResult, 'wasWarm'>;
  readonly pieces: readonly OutputPiece[];
  readonly longestMs: number;
  readonly host: HostSide;
}

/** Runs one program of the manifest through a driver and looks at its end from inside and outside. */
export async function runHostile(
  program: HostileProgram,
  { driver, host, traces }: Surroundings,
): Promise<HostileRun> {
  const limits = limitsOf(program);
  const start = startOf(program);
  const toolchain = await driver.findToolchain(program.lang);
  const shape = { toolchain, boot: start.kind, mounts: [], limits };
  const followed = await traces.follow(() => driver.prepare(shape));
  const pieces: OutputPiece[] = [];
  const heart = startHeart();
  const result = await followed.sandbox.run(
    {
      program: start,
      files: { [program.file]: sourceOf(program) },
      env: { HOSTILE_OK: '1', HOSTILE_PARAMS: host.params },
      stdin: '',
      limits,
      collect,
    },
    { onOutput: (piece) => void (pieces.length < pieceLimit && pieces.push(piece)) },
  );
  const longestMs = heart.stop();
  const left = await leftAfter(followed.view);
  const observed = { program, limits, result, pieces, longestMs, host };
  return {
    result,
    complaints: [...outcomeComplaints(observed), ...hostComplaints(observed), ...left],
  };
}

/** Empty when one of the expected outcomes came. */
function outcomeComplaints({ program, result }: Observed): string[] {
  const outcomes = outcomesOf(result);
  if (outcomes.some((outcome) => program.expect.includes(outcome))) return [];
  const said = Buffer.concat([result.stdout.subarray(-600), result.stderr.subarray(-600)]);
  const observations = result.observations.map(({ message }) => message).join('; ');
  return [
    `ended as ${outcomes.join(', ') || 'nothing'} instead of ${program.expect.join(' or ')} after ${Math.round(result.usage.wallMs)} ms; ${observations}: ${said.toString('latin1')}`,
  ];
}

/** Holds for every program, whatever its manifest asks for; `hostChecks` adds to it. */
function hostComplaints(observed: Observed): string[] {
  const { result, limits, host, longestMs, program } = observed;
  const complaints: string[] = [];
  const kept = result.stdout.length + result.stderr.length;
  if (kept > limits.outputBytes) complaints.push(`kept ${kept} bytes of output`);
  if (host.connections().length > 0)
    complaints.push(`the host heard: ${host.connections().join(', ')}`);
  if (host.markers().length > 0) complaints.push(`the host holds ${host.markers().join(', ')}`);
  if (longestMs > longestPauseMs) complaints.push(`the host stood still for ${longestMs} ms`);
  if (spawnSync('true').status !== 0) complaints.push('the host starts no programs any more');
  complaints.push(...artifactComplaints(observed));
  for (const check of program.hostChecks) {
    const extra = extraChecks[check];
    if (extra && !extra(observed)) complaints.push(`does not hold: ${check}`);
  }
  return complaints;
}

function artifactComplaints({ result, limits, host }: Observed): string[] {
  const complaints: string[] = [];
  const bytes = result.files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (result.files.length > collect.maxFiles) complaints.push(`${result.files.length} files came`);
  if (bytes > Math.min(collect.maxBytes, limits.diskBytes)) complaints.push(`${bytes} bytes came`);
  for (const { path, bytes: content } of result.files) {
    const text = Buffer.from(content.buffer, content.byteOffset, content.length);
    if (
      text.includes(host.canaryText) ||
      /^root:[^:]*:/.test(text.subarray(0, 200).toString('latin1'))
    )
      complaints.push(`${path} holds what is the host's`);
    if (path.startsWith('/') || path.split('/').includes('..')) complaints.push(`path ${path}`);
  }
  return complaints;
}

/** Those of the manifest's checks that are not looked at for every program. */
const extraChecks: Readonly<Record<string, (observed: Observed) => boolean>> = {
  'artifacts-plain': ({ result: { files } }) => {
    const names = files.map(({ path }) => path);
    const isSpecial = (name: string): boolean =>
      /^(?:fifo|sock|loop|self|up|to-|hard-to-link)/.test(name);
    return names.includes('plain.txt') && !names.some(isSpecial);
  },
  'ends-early': ({ result: { usage }, limits }) => usage.wallMs < limits.wallMs * 0.75,
  'not-killed': ({ result }) => result.status !== 'killed' && result.reason === null,
  'memory-told': ({ result }) =>
    result.reason === 'memory' ||
    result.observations.some(
      ({ kind, message }) => kind === 'limit_reached' && message.includes('memory'),
    ),
  'output-exact': ({ result }) => {
    const noise = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.from(
        '\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x1b[2J\x1b[?1049h\x1bP+q544e\x1b\\\xff\xfe\xc0\xaf\xed\xa0\x80\x9b31m\r\n\x08\x0c\x00',
        'latin1',
      ),
    ]);
    const expected = Buffer.concat(Array.from({ length: 16 }, () => noise));
    return (
      expected.equals(result.stdout.subarray(0, expected.length)) && expected.equals(result.stderr)
    );
  },
};

async function leftAfter(view: NamespaceView): Promise<string[]> {
  const isOver = (): boolean => view.processes().length === 0;
  try {
    await vi.waitUntil(isOver, { timeout: survivalMs, interval: 20 });
    return [];
  } catch {
    return [`still running: ${view.processes().join(', ')}`];
  } finally {
    view.letGo();
  }
}

/** Notices when this process did not get to run. */
function startHeart(): { stop(): number } {
  let last = performance.now();
  let longestMs = 0;
  const beat = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(beat, 20);
  return {
    stop: () => {
      clearInterval(timer);
      beat();
      return longestMs;
    },
  };
}
