import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type {
  SandboxLimits,
  SandboxProgram,
  SandboxResult,
} from '../../../src/contract/sandbox/index.ts';
import { settleLimits } from '../../../src/sandbox/limits.ts';

const folder = new URL('../../hostile/', import.meta.url);
const mebibyte = 1024 * 1024;

const programSchema = z.object({
  id: z.string(),
  file: z.string(),
  lang: z.enum(['python', 'node', 'shell']),
  category: z.string(),
  title: z.string(),
  expect: z.array(z.string()).min(1),
  control: z.boolean().optional(),
  limits: z
    .strictObject({
      wallMs: z.number().optional(),
      cpuMs: z.number().optional(),
      cpus: z.number().optional(),
      pids: z.number().optional(),
      memoryMb: z.number().optional(),
      diskMb: z.number().optional(),
      outputKb: z.number().optional(),
    })
    .default({}),
  hostChecks: z.array(z.string()).default([]),
  /** All of them, unless told. */
  drivers: z.array(z.string()).optional(),
  note: z.string().optional(),
});

export type HostileProgram = z.infer<typeof programSchema>;

const manifestSchema = z.object({
  hostChecks: z.record(z.string(), z.string()),
  programs: z.array(programSchema),
});

export type HostileManifest = z.infer<typeof manifestSchema>;

export function readManifest(): HostileManifest {
  return manifestSchema.parse(JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')));
}

/** A Python program gets the prelude, which refuses to run outside a sandbox and defines `verdict`. */
export function sourceOf({ lang, file }: HostileProgram): Buffer {
  const source = readFileSync(new URL(file, folder));
  if (lang !== 'python') return source;
  return Buffer.concat([readFileSync(new URL('prelude.py', folder)), source]);
}

export function limitsOf({ limits }: HostileProgram): SandboxLimits {
  const { memoryMb, diskMb, outputKb, ...named } = limits;
  return settleLimits({
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
    ...(memoryMb === undefined ? {} : { memoryBytes: memoryMb * mebibyte }),
    ...(diskMb === undefined ? {} : { diskBytes: diskMb * mebibyte }),
    ...(outputKb === undefined ? {} : { outputBytes: outputKb * 1024 }),
  });
}

/** How a program of the manifest is started. */
export function startOf(program: HostileProgram): SandboxProgram {
  return program.lang === 'shell'
    ? { kind: 'command', argv: ['sh', program.file] }
    : { kind: program.lang, main: program.file, args: [] };
}

/** Everything a run may be called, in the words of the manifest. An escape is called nothing else. */
export function outcomesOf(result: Omit<SandboxResult, 'wasWarm'>): string[] {
  const verdicts = verdictsIn(result);
  if (verdicts.includes('ESCAPED')) return ['escaped'];
  const outcomes: string[] = [];
  const verdict = verdicts.at(-1);
  if (verdict === 'HELD') outcomes.push('held');
  if (verdict === 'LIMITED') outcomes.push('limited');
  if (result.status === 'killed') outcomes.push('killed', `killed:${result.reason}`);
  if (result.status === 'signalled') outcomes.push('crash');
  if (result.status === 'exited') {
    outcomes.push(`exit:${result.exitCode}`);
    if (result.exitCode !== 0) outcomes.push('crash');
    else if (verdict === 'OK') outcomes.push('ok');
    // To have ended well is not enough: who says nothing has not done what it should.
    else if (verdict === undefined) outcomes.push('no-report');
  }
  return outcomes;
}

function verdictsIn({ stdout }: Pick<SandboxResult, 'stdout'>): string[] {
  const text = Buffer.from(stdout).toString('latin1');
  return [...text.matchAll(/^VERDICT: ([A-Z]+)/gm)].map(([, word = '']) => word);
}
