import { type ErrorCodeEntry, errorCodes, type ErrorReport } from '../contract/error/index.ts';
import { errorMetaKey, type ToolResult } from '../contract/tool/index.ts';
import { AppError, lookupTable, reportError } from '../kernel/index.ts';
import { contentText } from './output.ts';
import { ToolFailedError } from './errors.ts';
import type { Io } from './io.ts';

export interface FailureContext {
  readonly io: Io;
  readonly isJson: boolean;
  readonly isDebug: boolean;
  /** The command that was typed, empty when it is none: its help is suggested when the command line was wrong. */
  readonly command?: string | undefined;
  /** The tool that was called, as the terminal names it. */
  readonly tool?: string | undefined;
}

/** Reports a failure, as `{error: …}` on stdout with `--json`. Returns the exit code. */
export function reportFailure(error: unknown, context: FailureContext): number {
  const report = reportError(error);
  const exitCode = showReport(report, context, hintOf(error, report, context.command));
  if (context.isDebug && error instanceof Error) context.io.stderr.write(`${error.stack}\n`);
  return exitCode;
}

/** The same for a failure that came as data. */
export function showReport(
  report: ErrorReport,
  { io, isJson, tool }: Omit<FailureContext, 'isDebug'>,
  hint = usualHint(report, tool),
): number {
  if (isJson) {
    io.stdout.write(`${JSON.stringify({ error: report })}\n`);
  } else {
    const code = `(${report.code})`;
    io.stderr.write(
      hint === ''
        ? `error: ${report.message} ${code}\n`
        : `error: ${report.message}\nhint: ${hint} ${code}\n`,
    );
  }
  return entryOf(report.code)?.exitCode ?? 1;
}

/** Why a tool failed: by its code where it has one, else in the tool's own words. */
export function failureOf(tool: string, result: ToolResult): ErrorReport {
  const carried: unknown = result._meta?.[errorMetaKey];
  const { code, message, details }: Partial<ErrorReport> = Object(carried);
  if (typeof code === 'string' && typeof message === 'string') {
    return { code, message, details: details ?? {} };
  }
  return reportError(new ToolFailedError(tool, contentText(result.content)));
}

/** What to do about this very error; empty when its message says so already. */
function hintOf(error: unknown, report: ErrorReport, command: string | undefined): string {
  if (error instanceof AppError && error.hint !== undefined) return error.hint;
  if (report.code === 'cli.usage' && command !== undefined) {
    return command === ''
      ? '`tutti --help` lists the commands.'
      : `\`tutti help ${command}\` shows its options, with examples.`;
  }
  return usualHint(report);
}

/** Details that fill a placeholder of a remedy, the most telling first. */
const placeholders: Readonly<Record<string, readonly string[]>> = lookupTable({
  RUN: ['runId'],
  NAME: ['tool', 'server'],
});

function usualHint({ code, details }: ErrorReport, tool?: string): string {
  const entry = entryOf(code);
  if (entry?.isHint !== true) return '';
  const known: Readonly<Record<string, unknown>> = {
    ...details,
    ...(tool !== undefined && { tool }),
  };
  return entry.remedy.replaceAll(/\b[A-Z]+\b/g, (word) => {
    const values = placeholders[word]?.map((key) => known[key]) ?? [];
    return values.find((value) => typeof value === 'string') ?? word;
  });
}

/** Codes of other people's servers are not in our table. */
function entryOf(code: string): ErrorCodeEntry | undefined {
  const table: Readonly<Record<string, ErrorCodeEntry>> = errorCodes;
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
