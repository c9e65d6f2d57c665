import { spawnSync } from 'node:child_process';
import { z } from 'zod';

/** Whether Debian's bandit is installed, and which. */
export function banditVersion(): string | undefined {
  const run = spawnSync('bandit', ['--version'], { encoding: 'utf8' });
  return /^bandit (\S+)/m.exec(run.stdout ?? '')?.[1];
}

/** A finding of bandit: its test and the line it names. */
export interface BanditFinding {
  readonly test: string;
  readonly line: number;
}

const reportSchema = z.object({
  errors: z.array(z.object({ filename: z.string() })),
  results: z.array(z.object({ filename: z.string(), test_id: z.string(), line_number: z.int() })),
});

/** What bandit finds in each file, in order; files it cannot parse are left out. */
export function runBandit(
  folder: string,
  files: readonly string[],
): ReadonlyMap<string, readonly BanditFinding[]> {
  const run = spawnSync('bandit', ['--quiet', '--format', 'json', ...files], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  const report = reportSchema.parse(JSON.parse(run.stdout.slice(run.stdout.indexOf('{'))));
  const failed = new Set(report.errors.map(({ filename }) => filename));
  const found = new Map<string, BanditFinding[]>(
    files.filter((file) => !failed.has(file)).map((file) => [file, []]),
  );
  for (const { filename, test_id: test, line_number: line } of report.results) {
    found.get(filename)?.push({ test, line });
  }
  for (const findings of found.values()) {
    findings.sort((a, b) => a.line - b.line || (a.test < b.test ? -1 : 1));
  }
  return found;
}
