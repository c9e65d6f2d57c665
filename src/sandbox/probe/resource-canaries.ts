import type { LimitName, Protection, SandboxResult } from '../../contract/sandbox/index.ts';
import type { SandboxJob } from '../driver.ts';
import type { Verdict } from './judge-isolation.ts';

/** A program that goes beyond a limit, with bounds of its own in case it is not stopped. */
export interface ResourceCanary {
  readonly protections: readonly Protection[];
  readonly toolchain: 'node' | 'shell';
  readonly program: SandboxJob['program'];
  readonly files: SandboxJob['files'];
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  judge(result: Omit<SandboxResult, 'wasWarm'>): Verdict[];
}

const mebibyte = 1024 * 1024;

const memoryLimitBytes = 128 * mebibyte;
const memoryCanary: ResourceCanary = {
  protections: ['memory'],
  toolchain: 'node',
  program: { kind: 'node', main: 'canary.cjs', args: [] },
  files: {
    'canary.cjs': `
const kept = [];
for (let piece = 0; piece < 32; piece += 1) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
setTimeout(() => process.exit(kept.length === 32 ? 0 : 1), 500);
`,
  },
  limits: { memoryBytes: memoryLimitBytes },
  judge: (result) => [
    {
      protection: 'memory',
      isHeld: hasEndedBy('memory', result),
      evidence: `took 256 MiB of ${memoryLimitBytes / mebibyte} MiB: ${describeEnd(result)}`,
    },
  ],
};

const pidsLimit = 24;
const pidsCanary: ResourceCanary = {
  protections: ['pids'],
  toolchain: 'shell',
  program: shell('i=0; while [ $i -lt 64 ]; do sleep 0.6 & i=$((i+1)); done; wait; exit 0'),
  files: {},
  limits: { pids: pidsLimit },
  judge: (result) => [
    {
      protection: 'pids',
      isHeld: hasEndedBy('pids', result),
      evidence: `started 64 processes of ${pidsLimit}: ${describeEnd(result)}`,
    },
  ],
};

const openFilesLimit = 96;
const diskLimitBytes = 4 * mebibyte;
const filesCanary: ResourceCanary = {
  protections: ['open-files', 'disk'],
  toolchain: 'node',
  program: { kind: 'node', main: 'canary.cjs', args: [] },
  files: {
    'canary.cjs': `
const fs = require('node:fs');
const opened = [];
let outcome = 'none';
try {
  while (opened.length < 400) opened.push(fs.openSync('/dev/null', 'r'));
} catch (error) {
  outcome = error.code;
}
const count = opened.length;
for (const file of opened) fs.closeSync(file);
fs.writeSync(1, 'open ' + count + ' ' + outcome + '\\n');
const piece = Buffer.alloc(1024 * 1024, 1);
let written = 0;
outcome = 'none';
try {
  const file = fs.openSync('canary.bin', 'w');
  while (written < 12 * piece.length) written += fs.writeSync(file, piece);
} catch (error) {
  outcome = error.code;
}
fs.writeSync(1, 'disk ' + written + ' ' + outcome + '\\n');
setTimeout(() => {}, outcome === 'none' ? 500 : 0);
`,
  },
  limits: { openFiles: openFilesLimit, diskBytes: diskLimitBytes },
  judge: (result) => {
    const output = Buffer.from(result.stdout).toString('utf8');
    const open = /^open (\d+) (\w+)$/m.exec(output);
    const disk = /^disk (\d+) (\w+)$/m.exec(output);
    const isDiskFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(disk?.[2] ?? '');
    return [
      {
        protection: 'open-files',
        isHeld: open?.[2] === 'EMFILE' && Number(open[1]) <= openFilesLimit,
        evidence: `opened ${open?.[1] ?? 'unknown'} files more of ${openFilesLimit}: ${open?.[2] ?? describeEnd(result)}`,
      },
      {
        protection: 'disk',
        isHeld: hasEndedBy('disk', result) || isDiskFull,
        evidence: `wrote ${disk?.[1] ?? 'unknown'} bytes of ${diskLimitBytes}: ${disk?.[2] ?? ''} ${describeEnd(result)}`,
      },
    ];
  },
};

const outputLimitBytes = 64 * 1024;
const outputCanary: ResourceCanary = {
  protections: ['output'],
  toolchain: 'shell',
  program: shell('head -c 4194304 /dev/zero'),
  files: {},
  limits: { outputBytes: outputLimitBytes },
  judge: (result) => {
    const kept = result.stdout.length + result.stderr.length;
    return [
      {
        protection: 'output',
        isHeld: hasEndedBy('output', result) && kept <= outputLimitBytes,
        evidence: `wrote 4 MiB of ${outputLimitBytes} bytes: ${describeEnd(result)}, ${kept} bytes kept`,
      },
    ];
  },
};

const cpuLimitMs = 150;
const cpuTimeCanary: ResourceCanary = {
  protections: ['cpu-time'],
  toolchain: 'shell',
  program: shell('while :; do :; done'),
  files: {},
  limits: { cpuMs: cpuLimitMs, wallMs: 2500 },
  judge: (result) => [
    {
      protection: 'cpu-time',
      isHeld: hasEndedBy('cpu', result),
      evidence: `computed without end at ${cpuLimitMs} ms: ${describeEnd(result)} after ${Math.round(result.usage.cpuMs)} ms`,
    },
  ],
};

const rate = 0.05;
const rateWallMs = 600;
/** The start of the program, and the last slice before it was stopped. */
const rateSlackMs = 50;
const rateCanary: ResourceCanary = {
  protections: ['cpu-rate', 'wall-time'],
  toolchain: 'shell',
  program: shell('(while :; do :; done) & while :; do :; done'),
  files: {},
  limits: { cpus: rate, wallMs: rateWallMs },
  judge: (result) => {
    const { cpuMs, wallMs } = result.usage;
    return [
      {
        protection: 'cpu-rate',
        isHeld: cpuMs <= rate * wallMs + rateSlackMs,
        evidence: `two busy processes at ${rate} processors: ${Math.round(cpuMs)} ms of CPU in ${Math.round(wallMs)} ms`,
      },
      {
        protection: 'wall-time',
        isHeld: hasEndedBy('timeout', result),
        evidence: `ran without end at ${rateWallMs} ms: ${describeEnd(result)} after ${Math.round(wallMs)} ms`,
      },
    ];
  },
};

/** In the order of how long they take, so that the slow ones start first. */
export const resourceCanaries: readonly ResourceCanary[] = [
  rateCanary,
  pidsCanary,
  memoryCanary,
  filesCanary,
  cpuTimeCanary,
  outputCanary,
];

function shell(script: string): SandboxJob['program'] {
  return { kind: 'command', argv: ['sh', '-c', script] };
}

function hasEndedBy(
  reason: NonNullable<SandboxResult['reason']>,
  result: Omit<SandboxResult, 'wasWarm'>,
): boolean {
  if (result.reason !== null) return result.reason === reason;
  return result.observations.some(({ kind }) => kind === 'limit_reached');
}

function describeEnd(result: Omit<SandboxResult, 'wasWarm'>): string {
  switch (result.status) {
    case 'killed':
      return `killed (${result.reason})`;
    case 'signalled':
      return `died of ${result.signal}`;
    case 'exited':
      return `ended by itself with ${result.exitCode}`;
  }
}
