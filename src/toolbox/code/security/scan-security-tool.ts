import { counted } from '../../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { compareFindings, severities, type Severity } from '../finding.ts';
import { sourceFields } from '../source-files.ts';
import { securityFindingSchema, type SecurityFinding } from './security-rule.ts';

/** Findings one answer lists; the worst come first, the rest is counted. */
const maxFindings = 500;
const maxNotes = 50;

const input = z.object({
  ...sourceFields,
  min_severity: z
    .enum(severities)
    .default('info')
    .describe('Leave out findings less severe than this.'),
});

const output = z.object({
  findings: z.array(securityFindingSchema),
  summary: z.object({
    critical: z.int(),
    major: z.int(),
    minor: z.int(),
    info: z.int(),
  }),
  findings_total: z.int().describe('How many there are, listed or not.'),
  findings_omitted: z.int().describe('How many of them are not listed: the least severe.'),
  files_scanned: z.int(),
  rules_run: z
    .record(z.string(), z.int())
    .describe('For each language of the files, how many rules looked at it.'),
  notes: z
    .array(z.string())
    .describe('What limits the answer, e.g. a file that does not parse and was scanned in part.'),
});

type Output = z.input<typeof output>;

export function scanSecurityTool(context: CodeContext): DefinedTool {
  return defineTool({
    name: 'scan_security',
    title: 'Scan for security weaknesses',
    description:
      'Finds security weaknesses and signs of malicious code in Python, JavaScript, TypeScript, Java, Go, Rust, SQL, HTML and CSS: ' +
      'injection, unsafe deserialisation, weak cryptography, disabled checks, hard-coded secrets. Never prints a secret.',
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'scan src/ for security problems',
      'is this code safe to run?',
      'find vulnerabilities in app.py',
      'check this function for SQL injection',
    ],
    run: async (request, call) => {
      const files = await context.sources.resolve(request, call.signal);
      const { inspectFile } = await import('./scan-file-security.ts');
      const { countRules } = await import('./security-rule-table.ts');
      const found: SecurityFinding[] = [];
      const notes: string[] = [];
      for (const [index, file] of files.entries()) {
        call.signal.throwIfAborted();
        call.progress({ progress: index, total: files.length, message: file.path });
        const scan = await inspectFile(file, context);
        found.push(...scan.findings);
        if (scan.unparsed) notes.push(noteOnSyntax(file.path, scan.unparsed));
        if (scan.note !== undefined) notes.push(`${file.path} ${scan.note}`);
      }
      call.progress({ progress: files.length, total: files.length });
      const rulesRun = Object.fromEntries(
        [...new Set(files.map(({ language }) => language))].map((language) => [
          language,
          countRules(language),
        ]),
      );
      return {
        ...report(found, request.min_severity),
        files_scanned: files.length,
        rules_run: rulesRun,
        notes: notes.slice(0, maxNotes),
      };
    },
    summarize,
  });
}

/** Where, not what: the parser's message could repeat a secret that stands there. */
function noteOnSyntax(
  path: string,
  at: { readonly line: number; readonly column: number },
): string {
  return `${path} does not parse at ${at.line}:${at.column}: it was scanned as far as its structure could be read.`;
}

function report(
  found: readonly SecurityFinding[],
  minSeverity: Severity,
): Pick<Output, 'findings' | 'summary' | 'findings_total' | 'findings_omitted'> {
  const worstFirst = severities.indexOf(minSeverity);
  const wanted = found
    .filter(({ severity }) => severities.indexOf(severity) <= worstFirst)
    .sort(compareFindings);
  const count = (severity: Severity): number =>
    wanted.filter((finding) => finding.severity === severity).length;
  const findings = wanted.slice(0, maxFindings);
  return {
    findings,
    summary: {
      critical: count('critical'),
      major: count('major'),
      minor: count('minor'),
      info: count('info'),
    },
    findings_total: wanted.length,
    findings_omitted: wanted.length - findings.length,
  };
}

const maxLinesShown = 50;

function summarize(result: z.output<typeof output>): string {
  const { critical, major, minor, info } = result.summary;
  const head = `${counted(result.findings_total, 'finding')} in ${counted(result.files_scanned, 'file')}: ${critical} critical, ${major} major, ${minor} minor, ${info} info`;
  const lines = result.findings
    .slice(0, maxLinesShown)
    .map((it) => `${it.file}:${it.line}:${it.column} ${it.severity} ${it.rule}: ${it.message}`);
  const more = result.findings_total - lines.length;
  return [head, ...lines, ...(more > 0 ? [`… and ${more} more`] : []), ...result.notes].join('\n');
}
