import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { excluder } from '../../files/exclude.ts';
import { NoFilesError, NoSourceError } from '../errors.ts';
import { compareFindings, severities } from '../finding.ts';
import { countSeverities, inTests, severityCounts } from '../select/report-selection.ts';
import { roleOfPath } from '../select/select-sources.ts';
import { silenceFindings } from '../select/silence-findings.ts';
import { inlinePath, sourceFields } from '../source-files.ts';
import type { FoundSecret } from './find-secrets.ts';
import {
  readTextFiles,
  skipReasons,
  type SkippedPath,
  type TextFile,
  type TextFiles,
} from './read-text-files.ts';
import texts from '../tools.json' with { type: 'json' };

/** Findings one answer lists; the rest is counted. */
const maxFindings = 500;

const { code, path, exclude } = sourceFields;
const input = z.object({ code, path, exclude });

const secretSchema = z.object({
  rule: z.string().describe('The kind of secret, e.g. secrets/github-token.'),
  severity: z.enum(severities),
  message: z.string(),
  file: z.string(),
  line: z.int().min(1),
  column: z.int().min(1),
  preview: z.string().describe('First characters, *** and the length; never the secret.'),
  fingerprint: z.string().describe('Start of its SHA-256: tells whether two places hold the same.'),
  fix: z.string(),
  git_ignored: z.literal(true).optional().describe('Git ignores the file: it is on disk only.'),
  in_tests: inTests,
});

type SecretFinding = z.infer<typeof secretSchema>;

const count = z.int().min(0);

const output = z.object({
  findings: z.array(secretSchema).describe('Worst first, those in tests and fixtures last.'),
  summary: severityCounts,
  findings_total: count,
  findings_omitted: count.describe('How many are not listed.'),
  in_tests: count.describe('How many of all are in tests and fixtures.'),
  silenced: z.array(z.string()).describe('Places of secrets that comments beside them allow.'),
  files_scanned: count,
  files_ignored_by_git: count.describe('How many of the scanned files Git ignores.'),
  not_scanned: z
    .array(
      z.object({
        reason: z.enum(skipReasons),
        count: z.int().min(1),
        examples: z.array(z.string()),
      }),
    )
    .describe('Files and folders that were not looked through, and why.'),
});

/** Looks for credentials in any text file, not only in source code. */
export function scanSecretsTool(context: CodeContext): DefinedTool {
  return defineTool({
    ...texts.scan_secrets,
    input,
    output,
    run: async (request, call) => {
      const { files, skipped } = await read(request, context, call.signal);
      const { found, silenced } = await scanAll(files, call);
      const inTestsLast = [...found.filter(isOwn), ...found.filter((it) => !isOwn(it))];
      return {
        findings: inTestsLast.slice(0, maxFindings),
        summary: countSeverities(found),
        findings_total: found.length,
        findings_omitted: Math.max(0, found.length - maxFindings),
        in_tests: found.length - found.filter(isOwn).length,
        silenced,
        files_scanned: files.length,
        files_ignored_by_git: files.filter(({ isIgnored }) => isIgnored).length,
        not_scanned: reportSkipped(skipped),
      };
    },
    summarize,
  });
}

function isOwn(finding: SecretFinding): boolean {
  return finding.in_tests !== true;
}

async function scanAll(
  files: readonly TextFile[],
  call: CallContext,
): Promise<{ readonly found: readonly SecretFinding[]; readonly silenced: string[] }> {
  const { findSecrets } = await import('./find-secrets.ts');
  const found: SecretFinding[] = [];
  const allowed: string[] = [];
  for (const [index, file] of files.entries()) {
    call.signal.throwIfAborted();
    call.progress({ progress: index, total: files.length, message: file.path });
    const text = await file.read();
    const secrets = findSecrets(text).map((secret) => describeSecret(secret, file));
    // Only comments about secrets count: one that silences a linter says nothing about a leaked key.
    const { kept, silenced } = silenceFindings(text, secrets, 'secrets');
    found.push(...kept);
    allowed.push(...silenced.map(({ line }) => `${file.path}:${line}`));
  }
  return { found: found.sort(compareFindings), silenced: allowed };
}

function describeSecret(secret: FoundSecret, { path, isIgnored }: TextFile): SecretFinding {
  return {
    rule: `secrets/${secret.rule}`,
    severity: secret.severity,
    message: `${secret.title} (${secret.preview})`,
    file: path,
    line: secret.line,
    column: secret.column,
    preview: secret.preview,
    fingerprint: secret.fingerprint,
    fix: isIgnored
      ? 'Git ignores this file, so it is not in the repository; keep it out of backups, images and logs.'
      : 'Revoke it first: it stays in the history. Then read the new one from the environment or a secret store.',
    ...(isIgnored ? { git_ignored: true } : {}),
    ...(roleOfPath(path) === 'test' ? { in_tests: true } : {}),
  };
}

async function read(
  request: z.output<typeof input>,
  context: CodeContext,
  signal: AbortSignal,
): Promise<TextFiles> {
  if ((request.code === undefined) === (request.path === undefined)) throw new NoSourceError();
  const { code: given, path: where = '' } = request;
  if (given === undefined) {
    const isOut = excluder(request.exclude);
    const { files, skipped } = await readTextFiles(where, context.sources, signal);
    const out = files.filter((file) => isOut(file.path));
    const left = files.filter((file) => !isOut(file.path));
    if (left.length === 0 && out.length > 0) throw new NoFilesError(where, 'all excluded');
    const reason = 'excluded' as const;
    return {
      files: left,
      skipped: [...skipped, ...out.map((file) => ({ path: file.path, reason }))],
    };
  }
  return { files: [{ path: inlinePath, isIgnored: false, read: async () => given }], skipped: [] };
}

const maxExamples = 5;

function reportSkipped(skipped: readonly SkippedPath[]): z.input<typeof output>['not_scanned'] {
  return skipReasons.flatMap((reason) => {
    const paths = skipped.filter((one) => one.reason === reason).map(({ path }) => path);
    return paths.length === 0
      ? []
      : [{ reason, count: paths.length, examples: paths.slice(0, maxExamples) }];
  });
}

const skipWords: Readonly<Record<SkippedPath['reason'], string>> = {
  foreign: 'of version control, installed packages or caches',
  binary: 'not text',
  too_large: 'over 10 MB',
  link: 'leading out of the folder',
  excluded: 'excluded by the call or by the setting tools.exclude',
  unreadable: 'that could not be read',
  too_many: 'with too many files ignored by Git',
};

const maxLinesShown = 50;

function summarize(result: z.output<typeof output>): string {
  const head = `${pluralize(result.findings_total, 'secret')} in ${pluralize(result.files_scanned, 'file')}`;
  const ignored = result.files_ignored_by_git;
  const lines = result.findings.slice(0, maxLinesShown).map((it) => {
    const remark = `${it.git_ignored ? ' [ignored by Git]' : ''}${it.in_tests ? ' [test or fixture]' : ''}`;
    return `${it.file}:${it.line}:${it.column} ${it.severity} ${it.rule}: ${it.message}${remark}`;
  });
  const more = result.findings_total - lines.length;
  const skipped = result.not_scanned.map(({ reason, count: paths, examples }) => {
    const names = `${examples.join(', ')}${paths > examples.length ? ', …' : ''}`;
    return `${pluralize(paths, 'path')} ${skipWords[reason]} (${names})`;
  });
  return [
    ignored > 0 ? `${head}, ${ignored} of them ignored by Git` : head,
    ...lines,
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(result.silenced.length > 0
      ? [
          `Allowed by a comment beside them: ${pluralize(result.silenced.length, 'secret')} (${result.silenced.slice(0, maxExamples).join(', ')})`,
        ]
      : []),
    ...(skipped.length > 0 ? [`Not scanned: ${skipped.join('; ')}`] : []),
  ].join('\n');
}
