import { counted } from '../../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { NoSourceError } from '../errors.ts';
import { compareFindings, severities, type Severity } from '../finding.ts';
import { inlinePath, sourceFields } from '../source-files.ts';
import { readTextFiles, type TextFile } from './read-text-files.ts';

/** Findings one answer lists; the rest is counted. */
const maxFindings = 500;

const input = z.object({ code: sourceFields.code, path: sourceFields.path });

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
});

type SecretFinding = z.infer<typeof secretSchema>;

const output = z.object({
  findings: z.array(secretSchema),
  summary: z.object({ critical: z.int(), major: z.int(), minor: z.int(), info: z.int() }),
  findings_total: z.int(),
  findings_omitted: z.int().describe('How many are not listed.'),
  files_scanned: z.int(),
  files_skipped: z
    .int()
    .describe('Files that are not text or too large, and links out of the folder.'),
});

const examples = [
  'are there any secrets in this repository?',
  'scan the folder for leaked API keys',
  'did I commit a password?',
  'check .env for credentials',
  'find secrets',
  'any keys in here?',
  'is there a hard-coded token in this file?',
  'look for passwords in the code',
  'did I leave a private key somewhere?',
];

/** Looks for credentials in any text file, not only in source code. */
export function scanSecretsTool(context: CodeContext): DefinedTool {
  return defineTool({
    name: 'scan_secrets',
    title: 'Scan for secrets',
    description:
      'Finds keys, tokens, passwords and private keys in any text: source, .env, YAML, JSON, Dockerfiles, notebooks. ' +
      'Says where and of what kind, shows at most the first four characters, never the secret.',
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples,
    run: async (request, call) => {
      const { findSecrets } = await import('./find-secrets.ts');
      const { files, skipped } = await read(request, context, call.signal);
      const found: SecretFinding[] = [];
      for (const [index, file] of files.entries()) {
        call.signal.throwIfAborted();
        call.progress({ progress: index, total: files.length, message: file.path });
        for (const secret of findSecrets(await file.read())) {
          found.push({
            rule: `secrets/${secret.rule}`,
            severity: secret.severity,
            message: `${secret.title} (${secret.preview})`,
            file: file.path,
            line: secret.line,
            column: secret.column,
            preview: secret.preview,
            fingerprint: secret.fingerprint,
            fix: 'Revoke it first: it stays in the history. Then read the new one from the environment or a secret store.',
          });
        }
      }
      found.sort(compareFindings);
      const count = (severity: Severity): number =>
        found.filter((finding) => finding.severity === severity).length;
      return {
        findings: found.slice(0, maxFindings),
        summary: {
          critical: count('critical'),
          major: count('major'),
          minor: count('minor'),
          info: count('info'),
        },
        findings_total: found.length,
        findings_omitted: Math.max(0, found.length - maxFindings),
        files_scanned: files.length,
        files_skipped: skipped,
      };
    },
    summarize,
  });
}

async function read(
  request: z.output<typeof input>,
  context: CodeContext,
  signal: AbortSignal,
): Promise<{ readonly files: readonly TextFile[]; readonly skipped: number }> {
  if ((request.code === undefined) === (request.path === undefined)) throw new NoSourceError();
  const { code, path = '' } = request;
  if (code === undefined) return readTextFiles(path, context.sources, signal);
  return { files: [{ path: inlinePath, read: async () => code }], skipped: 0 };
}

const maxLinesShown = 50;

function summarize(result: z.output<typeof output>): string {
  const head = `${counted(result.findings_total, 'secret')} in ${counted(result.files_scanned, 'file')}, ${result.files_skipped} skipped`;
  const lines = result.findings
    .slice(0, maxLinesShown)
    .map((it) => `${it.file}:${it.line}:${it.column} ${it.severity} ${it.rule}: ${it.message}`);
  const more = result.findings_total - lines.length;
  return [head, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}
