import { pluralize, secretPatterns } from '../../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { compareFindings, severities } from '../finding.ts';
import { baselineField } from '../select/baseline.ts';
import {
  countSeverities,
  describeSelection,
  inTests,
  reportSelection,
  selectionFields,
  severityCounts,
} from '../select/report-selection.ts';
import { forEachFile, selectSources } from '../select/select-sources.ts';
import { sourceFields, type SourceFile } from '../source-files.ts';
import { securityFindingSchema, type SecurityFinding } from './security-rules.ts';
import texts from '../tools.json' with { type: 'json' };

/** Findings one answer lists; the worst come first, the rest is counted. */
const maxFindings = 500;
const maxNotes = 50;

const input = z.object({
  ...sourceFields,
  min_severity: z
    .enum(severities)
    .default('info')
    .describe('Leave out findings less severe than this.'),
  show_silenced: z
    .boolean()
    .default(false)
    .describe('Also list what comments such as nosec and tutti-ignore silence.'),
  baseline: baselineField,
});

const output = z.object({
  findings: z
    .array(securityFindingSchema.extend({ in_tests: inTests }))
    .describe('Worst first, those in tests last.'),
  summary: severityCounts.describe('How many there are outside of tests.'),
  findings_total: z.int().describe('How many there are outside of tests, listed or not.'),
  findings_omitted: z.int().describe('How many of them are not listed: the least severe.'),
  ...selectionFields,
  files_scanned: z.int(),
  rules_run: z
    .record(z.string(), z.int())
    .describe('For each language of the files, how many rules looked at it.'),
  notes: z
    .array(z.string())
    .describe('What limits the answer, e.g. a file that does not parse and was scanned in part.'),
});

export function scanSecurityTool(context: CodeContext): DefinedTool {
  return defineTool({
    ...texts.scan_security,
    input,
    output,
    run: async (request, call) => {
      const selected = await selectSources(request, context, call);
      const files = [...selected.own, ...selected.tests];
      const { found, notes, silenced } = await scanFiles(files, request, { context, call });
      const isTest = new Set(selected.tests.map(({ path }) => path));
      const own = found.filter(({ file }) => !isTest.has(file));
      const tests = found.filter(({ file }) => isTest.has(file));
      const report = await reportSelection(request, { selected, own, tests, silenced }, context);
      const listed = [...report.own, ...report.tests].slice(0, maxFindings);
      const { countRules } = await import('./security-rules.ts');
      const languages = [...new Set(files.map(({ language }) => language))];
      return {
        findings: listed,
        summary: countSeverities(report.own),
        findings_total: report.own.length,
        findings_omitted: report.own.length + report.tests.length - listed.length,
        ...report.fields,
        files_scanned: files.length,
        rules_run: Object.fromEntries(
          languages.map((it) => [it, countRules(it) + secretPatterns.length]),
        ),
        notes: notes.slice(0, maxNotes),
      };
    },
    summarize,
  });
}

interface Scanning {
  readonly context: CodeContext;
  readonly call: CallContext;
}

async function scanFiles(
  files: readonly SourceFile[],
  request: z.output<typeof input>,
  { context, call }: Scanning,
) {
  const { inspectFile } = await import('./scan-file-security.ts');
  const found: SecurityFinding[] = [];
  const notes: string[] = [];
  let silenced = 0;
  const leastSevere = severities.indexOf(request.min_severity);
  const isWanted = ({ severity }: SecurityFinding): boolean =>
    severities.indexOf(severity) <= leastSevere;
  await forEachFile(files, call, {
    work: async (file) => {
      const scan = await inspectFile(file, context, { showSilenced: request.show_silenced });
      found.push(...scan.findings.filter(isWanted));
      silenced += (scan.silenced ?? []).filter(isWanted).length;
      if (scan.unparsed) notes.push(noteOnSyntax(file.path, scan.unparsed));
      if (scan.note !== undefined) notes.push(`${file.path} ${scan.note}`);
    },
  });
  return { found: found.sort(compareFindings), notes, silenced };
}

/** Where, not what: the parser's message could repeat a secret that stands there. */
function noteOnSyntax(
  path: string,
  at: { readonly line: number; readonly column: number },
): string {
  return `${path} does not parse at ${at.line}:${at.column}: it was scanned as far as its structure could be read.`;
}

const maxLinesShown = 50;

function summarize(result: z.output<typeof output>): string {
  const { critical, major, minor, info } = result.summary;
  const head = `${pluralize(result.findings_total, 'finding')} in ${pluralize(result.files_scanned, 'file')}: ${critical} critical, ${major} major, ${minor} minor, ${info} info`;
  const lines = result.findings
    .filter((finding) => finding.in_tests !== true || result.findings_total === 0)
    .slice(0, maxLinesShown)
    .map((it) => `${it.file}:${it.line}:${it.column} ${it.severity} ${it.rule}: ${it.message}`);
  const more = result.findings_total - lines.length;
  return [
    head,
    ...lines,
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...describeSelection(result),
    ...result.notes,
  ].join('\n');
}
