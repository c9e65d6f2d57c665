import { posix } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type {
  CollectRequest,
  CollectedFile,
  Sandbox,
  SandboxLimits,
} from '../../contract/sandbox/index.ts';
import {
  checkFindingSchema,
  type CheckPolicy,
  type ScanCode,
  verdicts,
} from './check/check-policy.ts';
import type { DeepReadonly } from '../../kernel/index.ts';

/** Shared by the tools of this server. */
export interface ExecContext {
  /** Opens the sandbox on first use. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly scanCode: ScanCode;
  readonly policy: CheckPolicy;
  /** Defaults. */
  readonly limits: SandboxLimits;
  /** Upper bounds of every run. */
  readonly ceilings: SandboxLimits;
}

const maxTextLength = 10_000_000;
const maxFiles = 2_000;
const maxWords = 1_000;
const maxWordLength = 100_000;

/** Half a surrogate pair cannot be encoded. */
const unicodeNeeded = 'text without lone surrogates';
const isUnicode = (text: string): boolean => text.isWellFormed();

/** A path below the work folder. */
const path = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\0]+$/, 'a path inside the work folder, without ".."')
  .refine(isUnicode, unicodeNeeded);

/** Adds what is expected to zod's bare "invalid key". */
function sayKeyProblem(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_key') return undefined;
  const expected = issue.issues.map(({ message }) => message).join(', ');
  return `not allowed as a name; expected ${expected}`;
}

/** `./a//b.py` as `a/b.py`. */
function plainPath(given: string): string {
  return posix.normalize(given).replace(/\/$/, '');
}

const noNul = /^[^\0]*$/;
const word = z
  .string()
  .max(maxWordLength)
  .regex(noNul, 'text without NUL characters')
  .refine(isUnicode, unicodeNeeded);

export const filesField = z
  .record(path, z.string().max(maxTextLength), { error: sayKeyProblem })
  .refine((files) => Object.keys(files).length <= maxFiles, `at most ${maxFiles} files`)
  .refine(
    (files) => new Set(Object.keys(files).map(plainPath)).size === Object.keys(files).length,
    'two of the paths name the same file',
  )
  .transform((files) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [plainPath(name), text])),
  )
  .describe('Texts by their path in the work folder.');

export const entryField = path
  .transform(plainPath)
  .describe('The file of `files` that the program starts with.');
export const codeField = z.string().max(maxTextLength);
export const wordsField = z.array(word).max(maxWords);

const limitsField = z
  .strictObject({
    wallMs: z.int().positive().describe('Time until it is killed.'),
    cpuMs: z.int().positive().describe('CPU time of all its processes.'),
    cpus: z.number().positive().describe('Processors it may keep busy.'),
    memoryBytes: z.int().positive().describe('Memory of all its processes.'),
    pids: z.int().positive().describe('Processes and threads at once.'),
    diskBytes: z.int().positive().describe('Size of its work folder.'),
    openFiles: z.int().positive().describe('Open files of one process.'),
    outputBytes: z.int().min(0).describe('Standard output and error together.'),
  })
  .partial();

const maxCollectedFiles = 200;
const maxCollectedBytes = 8 * 1024 * 1024;
const maxPaths = 100;
/** Longer text comes as base64. */
const maxTextBytes = 1024 * 1024;

export const collectField = z
  .array(z.string().min(1).max(1_000))
  .max(maxPaths)
  .optional()
  .describe(
    `Files and folders of the work folder to bring back; an empty list brings back all that is new or changed. At most ${maxCollectedFiles} files, ${maxCollectedBytes} bytes.`,
  );

export const shownFileSchema = z.object({
  path: z.string(),
  size: z.int().describe('In bytes.'),
  encoding: z.enum(['utf-8', 'base64']),
  content: z.string(),
  isExecutable: z.boolean(),
});

export type ShownFile = z.input<typeof shownFileSchema>;

/** A run changes nothing outside its sandbox. */
export const sandboxedAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;

/** What every run takes beside its program. */
export const runFields = {
  stdin: z.string().max(maxTextLength).default('').describe('What it reads on standard input.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, 'the name of a variable'), word, {
      error: sayKeyProblem,
    })
    .default({})
    .describe('All of its environment, beside PATH, HOME and LANG.'),
  limits: limitsField
    .default({})
    .describe(
      'What it may use at most, within the settings `sandbox.ceilings`; `sandbox.limits` say the rest.',
    ),
  collect: collectField,
};

export const checkFields = {
  verdict: z
    .enum(verdicts)
    .describe('What the settings `sandbox.check` say to the findings; `ask` was agreed to.'),
  findings: z
    .array(checkFindingSchema)
    .describe('What it could do, found before it ran; worst first.'),
};

export const runResultSchema = z.object({
  status: z
    .enum(['exited', 'signalled', 'killed'])
    .describe('It ended by itself, died of a signal, or was killed for `reason`.'),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z
    .enum(['timeout', 'cpu', 'memory', 'pids', 'disk', 'output', 'host-lock', 'cancelled'])
    .nullable()
    .describe('The limit it was killed for, or reached though it exited with 0.'),
  stdout: z.string().describe('Without escape sequences; what is no UTF-8 became U+FFFD.'),
  stderr: z.string(),
  truncated: z.boolean().describe('There was more output than its limit.'),
  usage: z.object({
    wallMs: z.number(),
    cpuMs: z.number(),
    peakMemoryBytes: z.number(),
  }),
  files: z.array(shownFileSchema).optional(),
  ...checkFields,
  driver: z.string().describe('What held it: bubblewrap, docker …'),
  warm: z.boolean().describe('Its sandbox had been started in advance.'),
  observations: z
    .array(z.object({ kind: z.string(), message: z.string() }))
    .describe('What the sandbox saw and the program may not have told.'),
});

export type RunResult = DeepReadonly<z.input<typeof runResultSchema>>;

/**
 * The limits of a run. More wall time without a CPU limit also means more CPU time: as much as can be used in that
 * time.
 */
export function limitsOf(
  wanted: z.output<typeof limitsField>,
  { limits: defaults, ceilings }: Pick<ExecContext, 'limits' | 'ceilings'>,
): SandboxLimits {
  const given = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  );
  const limits: SandboxLimits = { ...defaults, ...given };
  if (wanted.cpuMs !== undefined) return limits;
  const usable = Math.min(Math.ceil(limits.wallMs * limits.cpus), ceilings.cpuMs);
  return { ...limits, cpuMs: Math.max(defaults.cpuMs, usable) };
}

export function collectRequest(paths: readonly string[] | undefined): CollectRequest | null {
  if (paths === undefined) return null;
  const plain = paths.map((path) => posix.normalize(path).replace(/(?<=.)\/$/, ''));
  return {
    paths: plain.includes('.') ? [] : plain,
    maxFiles: maxCollectedFiles,
    maxBytes: maxCollectedBytes,
  };
}

/** What a program left, as text where it is text. Files as they were given are left out of "all". */
export function showFiles(
  files: readonly CollectedFile[],
  given: Readonly<Record<string, string>>,
  wantsAll: boolean,
): ShownFile[] {
  return files
    .filter(({ path, bytes }) => {
      const before = Object.hasOwn(given, path) ? given[path] : undefined;
      return !wantsAll || before === undefined || !Buffer.from(before).equals(bytes);
    })
    .map(showFile);
}

function showFile({ path, bytes, isExecutable }: CollectedFile): ShownFile {
  const isText = bytes.length <= maxTextBytes && isUtf8(bytes) && !bytes.includes(0);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    path: path.replaceAll(/\p{Cc}/gu, '\ufffd'),
    size: bytes.length,
    encoding: isText ? 'utf-8' : 'base64',
    content: content.toString(isText ? 'utf8' : 'base64'),
    isExecutable,
  };
}
