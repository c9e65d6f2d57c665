import { errorCodes, type ErrorCodeEntry, type ErrorReport } from '../contract/error/index.ts';
import { reportError } from '../kernel/index.ts';
import type { Io } from './io.ts';
import { printableLines } from './output.ts';

export interface FailureContext {
  readonly io: Io;
  readonly isJson: boolean;
  readonly isDebug: boolean;
}

/** Tells the user what failed, as `{error: …}` on stdout with `--json`, and says the exit code. */
export function reportFailure(error: unknown, context: FailureContext): number {
  const exitCode = showReport(reportError(error), context);
  if (context.isDebug && error instanceof Error) context.io.stderr.write(`${error.stack}\n`);
  return exitCode;
}

/** The same for a failure that came as data. */
export function showReport(
  report: ErrorReport,
  { io, isJson }: Omit<FailureContext, 'isDebug'>,
): number {
  const entry = entryOf(report.code);
  if (isJson) {
    io.stdout.write(`${JSON.stringify({ error: report })}\n`);
  } else {
    io.stderr.write(`error: ${printableLines(report.message)}\n`);
    io.stderr.write(entry ? `hint: ${entry.remedy} (${report.code})\n` : `(${report.code})\n`);
  }
  return entry?.exitCode ?? 1;
}

/** Codes of other people's servers are not in our table. */
function entryOf(code: string): ErrorCodeEntry | undefined {
  const table: Readonly<Record<string, ErrorCodeEntry>> = errorCodes;
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
