import { counted } from '../../../kernel/index.ts';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { InvalidArgumentsError } from '../../errors.ts';
import type { CodeContext } from '../code-context.ts';
import { severities } from '../finding.ts';
import {
  describeVulnerabilities,
  recommendUpgrade,
  vulnerabilitySchema,
  type AffectedPackage,
  type Vulnerability,
} from './describe-vulnerabilities.ts';
import { lockfileNames } from './lockfiles/lockfile-formats.ts';
import type { OsvApiOptions } from './osv-api.ts';
import type { OsvSource } from './osv-source.ts';
import { readLockfiles, type FoundPackage, type Lockfile } from './read-lockfiles.ts';

const inputSchema = z.object({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'A lock file, a folder to search for lock files, or a glob, inside the allowed roots.',
    ),
  code: z
    .string()
    .max(50_000_000)
    .optional()
    .describe('The text of a lock file, with its name in `lockfile`.'),
  lockfile: z
    .string()
    .max(255)
    .optional()
    .describe(`The file name that tells the format of \`code\`: ${lockfileNames.join(', ')}.`),
});

const outputSchema = z.object({
  vulnerabilities: z.array(vulnerabilitySchema).describe('Worst first.'),
  packages_scanned: z.int(),
  lockfiles: z.array(z.object({ path: z.string(), packages: z.int() })),
  skipped: z
    .array(
      z.object({
        lockfile: z.string(),
        package: z.string(),
        line: z.int().optional(),
        reason: z.string(),
      }),
    )
    .describe('Dependencies without an exact version: nothing is known about them. At most 100.'),
  skipped_count: z.int(),
  source: z.enum(['osv-api', 'osv-directory']),
  as_of: z
    .string()
    .describe('How new the knowledge is: now for the API, the newest record for a folder.'),
  recommendations: z.array(z.string()),
  warnings: z.array(z.string()),
});

type Output = z.infer<typeof outputSchema>;

const maxSkippedShown = 100;

/** The tool `scan_dependencies`. `api` tunes the OSV client. */
export function scanDependenciesTool(context: CodeContext, api: OsvApiOptions = {}): DefinedTool {
  let source: Promise<OsvSource> | undefined;
  return defineTool({
    name: 'scan_dependencies',
    title: 'Scan dependencies for vulnerabilities',
    description:
      'Reads lock files of npm, PyPI, Go, Cargo and Maven and looks every locked package up in the OSV ' +
      'vulnerability database (the OSV API, or a folder of OSV records when one is configured). Fails ' +
      'clearly when the database cannot be asked; it never reports "nothing found" without having looked.',
    input: inputSchema,
    output: outputSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    examples: [
      'are there known vulnerabilities in my dependencies?',
      'scan package-lock.json for CVEs',
      'which packages should I upgrade for security?',
      'are any of our packages vulnerable?',
      'check the dependencies',
      'are our libraries outdated or insecure?',
      'how risky are our third-party packages?',
    ],
    run: async (input, call) => {
      assertOneSource(input);
      const lockfiles = await readLockfiles(context.sources, input, call.signal);
      source ??= openSource(context, api);
      return scan(lockfiles, await source, call);
    },
    summarize,
  });
}

function assertOneSource(input: z.infer<typeof inputSchema>): void {
  const problems: string[] = [];
  if ((input.code === undefined) === (input.path === undefined)) {
    problems.push('give exactly one of "path" and "code"');
  }
  if (input.code !== undefined && input.lockfile === undefined) {
    problems.push('with "code" give "lockfile", the file name that tells its format');
  }
  if (problems.length > 0) throw new InvalidArgumentsError('scan_dependencies', problems);
}

async function openSource(context: CodeContext, api: OsvApiOptions): Promise<OsvSource> {
  const { osvDirectory, osvUrl } = context.settings;
  if (osvDirectory !== undefined) {
    const { OsvDirectory } = await import('./osv-directory.ts');
    return new OsvDirectory(osvDirectory);
  }
  const { OsvApi } = await import('./osv-api.ts');
  return new OsvApi(osvUrl, api);
}

async function scan(
  lockfiles: readonly Lockfile[],
  source: OsvSource,
  call: CallContext,
): Promise<Output> {
  const unique = uniquePackages(lockfiles);
  const answer = await source.lookUp([...unique.values()], {
    signal: call.signal,
    progress: (progress, total, message) => call.progress({ progress, total, message }),
  });
  const recordsOf = new Map([...unique.keys()].map((key, index) => [key, answer.records[index]]));
  const affected: AffectedPackage[] = lockfiles.flatMap(({ path, packages }) =>
    [...uniquePackages([{ path, packages, skipped: [] }])].map(([key, locked]) => ({
      lockfile: path,
      locked,
      records: (recordsOf.get(key) ?? []).filter((record) => !record.withdrawn),
    })),
  );
  const hit = affected
    .filter(({ records }) => records.length > 0)
    .map((one) => ({ one, found: describeVulnerabilities(one).sort(compareVulnerabilities) }))
    .sort((a, b) => compareWorst(a.found, b.found));
  const skipped = lockfiles.flatMap((file) =>
    file.skipped.map(({ name, line, reason }) => ({
      lockfile: file.path,
      package: name,
      ...(line === undefined ? {} : { line }),
      reason,
    })),
  );
  return {
    vulnerabilities: hit.flatMap(({ found }) => found).sort(compareVulnerabilities),
    packages_scanned: unique.size,
    lockfiles: lockfiles.map(({ path, packages }) => ({ path, packages: packages.length })),
    skipped: skipped.slice(0, maxSkippedShown),
    skipped_count: skipped.length,
    source: source.kind,
    as_of: answer.asOf,
    recommendations: [...new Set(hit.map(({ one }) => recommendUpgrade(one)))],
    warnings: [...answer.warnings],
  };
}

/** A version that several entries or lock files share is looked up once; a known path is kept. */
function uniquePackages(lockfiles: readonly Lockfile[]): ReadonlyMap<string, FoundPackage> {
  const unique = new Map<string, FoundPackage>();
  for (const locked of lockfiles.flatMap(({ packages }) => packages)) {
    const key = `${locked.ecosystem}\n${locked.name}\n${locked.version}`;
    const known = unique.get(key);
    const isShorter =
      (locked.dependencyPath?.length ?? Infinity) < (known?.dependencyPath?.length ?? Infinity);
    if (!known || isShorter) unique.set(key, locked);
  }
  return unique;
}

/** By the first of each, which is the worst. */
function compareWorst(a: readonly Vulnerability[], b: readonly Vulnerability[]): number {
  const [worstA, worstB] = [a[0], b[0]];
  return worstA && worstB ? compareVulnerabilities(worstA, worstB) : b.length - a.length;
}

function compareVulnerabilities(a: Vulnerability, b: Vulnerability): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    (b.cvss_score ?? 0) - (a.cvss_score ?? 0) ||
    compareText(a.lockfile, b.lockfile) ||
    compareText(a.package, b.package) ||
    compareText(a.id, b.id)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const maxLinesShown = 30;

function summarize(output: Output): string {
  const { vulnerabilities, packages_scanned: scanned, lockfiles } = output;
  const head =
    `${counted(vulnerabilities.length, 'known vulnerability', 'known vulnerabilities')} in ${counted(scanned, 'package')} of ` +
    `${counted(lockfiles.length, 'lock file')} (${output.source}, as of ${output.as_of})`;
  const lines = vulnerabilities
    .slice(0, maxLinesShown)
    .map(
      (found) =>
        `${found.severity.padEnd(8)} ${found.package} ${found.version}: ${found.id} ${found.summary}` +
        ` [${found.lockfile}${found.line === undefined ? '' : `:${found.line}`}]`,
    );
  const more = vulnerabilities.length - lines.length;
  return [
    head,
    ...lines,
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...output.recommendations.slice(0, maxLinesShown),
    ...(output.skipped_count > 0 ? [`Not checked: ${output.skipped_count} without a version`] : []),
    ...output.warnings,
  ].join('\n');
}
