import type { TestReport } from '../test-report.ts';
import { readLines } from './read-lines.ts';
import { summarizeCoverage, type RawFileCoverage } from './report-builder.ts';

const maxLine = 1_000_000;

interface GoFile {
  total: number;
  uncovered: number;
  readonly missing: Set<number>;
  readonly covered: Set<number>;
}

/** Lines all blocks of a profile may have together. */
const maxBlockLines = 2_000_000;

/** Reads the profile that `go test -coverprofile` writes; paths lose the module's name. */
export function readGoProfile(
  bytes: Uint8Array | undefined,
  moduleName: string,
): Pick<TestReport, 'coverage' | 'coverageNote'> {
  if (!bytes) return { coverage: null };
  const files = new Map<string, GoFile>();
  let linesLeft = maxBlockLines;
  for (const line of readLines(bytes).lines) {
    const match = /^([^:]{1,500}):(\d{1,7})\.\d{1,7},(\d{1,7})\.\d{1,7} (\d{1,7}) (\d{1,15})$/.exec(
      line,
    );
    if (!match) continue;
    const [, path = '', first = '', last = '', statements = '', runs = ''] = match;
    const file = files.get(path) ?? {
      total: 0,
      uncovered: 0,
      missing: new Set(),
      covered: new Set(),
    };
    files.set(path, file);
    file.total += Number(statements);
    if (runs === '0') file.uncovered += Number(statements);
    const lines = runs === '0' ? file.missing : file.covered;
    const end = Math.min(Number(last), maxLine);
    for (let at = Number(first); at <= end && linesLeft > 0; at += 1, linesLeft -= 1) lines.add(at);
  }
  const raw = [...files].map(([path, file]): RawFileCoverage => ({
    path: path.startsWith(`${moduleName}/`) ? path.slice(moduleName.length + 1) : path,
    total: file.total,
    uncovered: file.uncovered,
    missing: [...file.missing].filter((line) => !file.covered.has(line)),
  }));
  return { coverage: summarizeCoverage(raw), coverageNote: 'measured by go test, in statements' };
}
