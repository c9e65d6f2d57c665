import { pluralize } from '../../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { InvalidArgumentsError } from '../../errors.ts';
import type { CodeContext } from '../code-context.ts';
import { severities } from '../finding.ts';
import type { OsvApiOptions } from './osv-api.ts';
import type { OsvSource } from './osv-record.ts';
import { ecosystems } from './locked-package.ts';
import { lockfileNames } from './read-lockfiles.ts';
import texts from '../tools.json' with { type: 'json' };

const inputSchema = z.object({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'A lock file, a folder to search for lock files (without any: for versions pinned in pyproject.toml and package.json), or a glob, inside the allowed roots.',
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

/** Where a severity comes from, most trustworthy first. */
export const severitySources = ['cvss', 'label', 'assumed'] as const;
export type SeveritySource = (typeof severitySources)[number];

const vulnerabilitySchema = z.object({
  id: z.string(),
  aliases: z.array(z.string()),
  package: z.string(),
  ecosystem: z.enum(ecosystems),
  version: z.string(),
  severity: z.enum(severities),
  severity_source: z
    .enum(severitySources)
    .describe(
      'cvss: computed from a CVSS vector; label: the rating of the database; assumed: unrated.',
    ),
  cvss_score: z.number().optional().describe('CVSS base score.'),
  summary: z.string(),
  fixed_versions: z.array(z.string()).describe('Newer versions that cure it, lowest first.'),
  lockfile: z.string(),
  line: z.int().optional(),
  direct: z.boolean().optional(),
  dependency_path: z.array(z.string()).optional(),
  url: z.string(),
});

export type Vulnerability = z.infer<typeof vulnerabilitySchema>;

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

export type ScanReport = z.infer<typeof outputSchema>;

/** The tool `scan_dependencies`. `api` tunes the OSV client. */
export function scanDependenciesTool(context: CodeContext, api: OsvApiOptions = {}): DefinedTool {
  let source: Promise<OsvSource> | undefined;
  return defineTool({
    ...texts.scan_dependencies,
    input: inputSchema,
    output: outputSchema,
    run: async (input, call) => {
      assertOneSource(input);
      const { readLockfiles } = await import('./read-lockfiles.ts');
      const { scanLockfiles } = await import('./scan-lockfiles.ts');
      const lockfiles = await readLockfiles(context.sources, input, call.signal);
      source ??= openSource(context, api);
      return scanLockfiles(lockfiles, await source, call);
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

const maxLinesShown = 30;

function summarize(output: ScanReport): string {
  const { vulnerabilities, packages_scanned: scanned, lockfiles } = output;
  const head =
    `${pluralize(vulnerabilities.length, 'known vulnerability', 'known vulnerabilities')} in ${pluralize(scanned, 'package')} of ` +
    `${pluralize(lockfiles.length, 'file')} (${output.source}, as of ${output.as_of})`;
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
    ...(output.skipped_count > 0
      ? [
          `Not checked: ${pluralize(output.skipped_count, 'dependency', 'dependencies')} without an exact version; a lock file has them`,
        ]
      : []),
    ...output.warnings,
  ].join('\n');
}
