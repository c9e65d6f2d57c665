import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Language, languageOfPath } from '../../code/language.ts';
import { AppError, ownFile, reportError } from '../../../kernel/index.ts';
import {
  type CheckFinding,
  type CheckPolicy,
  type CodeFile,
  type ScanCode,
  severities,
  type Verdict,
  verdictOf,
  verdictOn,
  verdicts,
} from './check-policy.ts';

/** Findings that are listed; the worst come first, and all of them count for the verdict. */
const maxFindings = 100;
const maxFiles = 200;
const maxTextLength = 2_000_000;

export interface CodeCheck {
  readonly verdict: Verdict;
  readonly findings: readonly CheckFinding[];
  readonly findingsTotal: number;
}

export interface CheckRequest {
  readonly files: Readonly<Record<string, string>>;
  /** Of files whose names do not tell. */
  readonly language?: string | undefined;
  /** A command line, as a shell would be given it. */
  readonly commandLine?: string | undefined;
}

export interface Checking {
  readonly scanCode: ScanCode;
  readonly policy: CheckPolicy;
  readonly signal: AbortSignal;
}

/** What the code could do, found without running it, and what the policy says to that. */
export async function checkCode(request: CheckRequest, checking: Checking): Promise<CodeCheck> {
  const { files, isComplete } = filesToScan(request);
  const found = await scanFiles(files, checking);
  if (!isComplete) found.push(unscanned('(files)', 'there is more of it than the check reads'));
  if (request.commandLine !== undefined) {
    found.push(...matchShellPatterns('(command)', request.commandLine));
  }
  const { policy } = checking;
  const findings = found.toSorted(
    (a, b) =>
      verdicts.indexOf(verdictOn(b, policy)) - verdicts.indexOf(verdictOn(a, policy)) ||
      severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  return {
    verdict: verdictOf(findings, policy),
    findings: findings.slice(0, maxFindings),
    findingsTotal: findings.length,
  };
}

function filesToScan(request: CheckRequest): { files: CodeFile[]; isComplete: boolean } {
  const files: CodeFile[] = [];
  let textLeft = maxTextLength;
  for (const [path, text] of Object.entries(request.files)) {
    const language = languageOf(path) ?? request.language;
    if (language === undefined) continue;
    textLeft -= text.length;
    if (files.length === maxFiles || textLeft < 0) return { files, isComplete: false };
    files.push({ path, text, language });
  }
  return { files, isComplete: true };
}

/** Several at a time: the scanner has a few threads. */
async function scanFiles(files: readonly CodeFile[], checking: Checking): Promise<CheckFinding[]> {
  const found: CheckFinding[] = [];
  for (let at = 0; at < files.length; at += scannedAtOnce) {
    const next = files.slice(at, at + scannedAtOnce);
    const lists = await Promise.all(next.map((file) => checkFile(file, checking)));
    found.push(...lists.flat());
  }
  return found;
}

const scannedAtOnce = 4;

/** Languages whose programs are known to hide shell lines in their strings, and shells themselves. */
const readAsShell: readonly string[] = ['shell', 'go', 'rust', 'java'];

async function checkFile(file: CodeFile, checking: Checking): Promise<readonly CheckFinding[]> {
  const asShell = readAsShell.includes(file.language)
    ? matchShellPatterns(file.path, file.text)
    : [];
  if (file.language === 'shell') return asShell;
  try {
    return [...asShell, ...(await checking.scanCode(file, checking.signal))];
  } catch (error) {
    checking.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return [...asShell, unscanned(file.path, reportError(error).message)];
  }
}

/** Code that breaks the scanner must not be taken for code without findings. */
function unscanned(file: string, reason: string): CheckFinding {
  return {
    severity: 'major',
    rule: 'check/not-scanned',
    message: `It could not be checked: ${reason}`,
    file,
    line: 1,
    column: 1,
  };
}

/** Files of other languages are read by programs, not run. */
const runnable: ReadonlySet<string> = new Set<Language>([
  'python',
  'javascript',
  'typescript',
  'go',
  'rust',
  'java',
]);

function languageOf(path: string): string | undefined {
  const language = languageOfPath(path);
  if (language !== undefined && runnable.has(language)) return language;
  return /\.(?:sh|bash)$/i.test(path) ? 'shell' : undefined;
}

const shellPatternsSchema = z.array(
  z
    .strictObject({
      rule: z.string(),
      severity: z.enum(severities),
      message: z.string(),
      pattern: z.string(),
      flags: z.string().default(''),
    })
    .transform(({ pattern, flags, ...rest }) => ({ ...rest, pattern: new RegExp(pattern, flags) })),
);
let shellPatterns: z.output<typeof shellPatternsSchema> | undefined;

function readShellPatterns(): z.output<typeof shellPatternsSchema> {
  const text = readFileSync(ownFile('toolbox/exec/check/shell-patterns.yaml'), 'utf8');
  return shellPatternsSchema.parse(parse(text));
}

/** Shell patterns in a text, each reported where it first occurs. */
export function matchShellPatterns(path: string, text: string): CheckFinding[] {
  shellPatterns ??= readShellPatterns();
  return shellPatterns.flatMap(({ rule, severity, message, pattern }) => {
    const at = pattern.exec(text)?.index;
    return at === undefined
      ? []
      : [{ rule, severity, message, file: path, ...positionAt(text, at) }];
  });
}

function positionAt(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
