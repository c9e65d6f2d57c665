import type { CodeContext } from '../code-context.ts';
import type { FunctionComplexity } from '../complexity/complexity-schema.ts';
import type { FocusArea } from '../finding.ts';
import { profileOf, type StyleGuide } from '../language.ts';
import type { LintFinding } from '../lint/lint-data.ts';
import { lintFile } from '../lint/lint-file.ts';
import { findSecrets, hideSecrets } from '../secrets/find-secrets.ts';
import { inspectFile } from '../security/scan-file-security.ts';
import { silenceFindings } from '../select/silence-findings.ts';
import type { SourceFile } from '../source-files.ts';
import { checkStandards, type CodeStandard } from './code-standard.ts';
import { mergeFindings } from './score.ts';

/** How a file is looked at. */
export interface ReviewSetup {
  readonly context: CodeContext;
  readonly guide: StyleGuide;
  readonly standard: CodeStandard;
  readonly lineLength: number;
  /** Only findings about these are wanted; engines that find nothing else do not run. */
  readonly areas: ReadonlySet<FocusArea>;
}

export interface FileReview {
  readonly file: SourceFile;
  /** Of the wanted areas, each cause once, worst first. */
  readonly findings: readonly LintFinding[];
  readonly functions: readonly FunctionComplexity[];
  /** How many findings each engine made before they were merged. */
  readonly engines: Readonly<Record<string, number>>;
  /** How many findings comments in the text silence. */
  readonly silenced: number;
}

/** Reviews one file. Throws `CodeSyntaxError` when it does not parse. */
export async function reviewFile(given: SourceFile, setup: ReviewSetup): Promise<FileReview> {
  // Engines disagree on whether offsets count a byte order mark.
  const file = { ...given, text: given.text.replace(/^\uFEFF/, '') };
  const { context, areas } = setup;
  let silenced = 0;
  const onSilenced = (count: number): void => void (silenced += count);
  const linted = await lintFile(file, { ...setup, onSilenced });
  const security = areas.has('security') ? await findWeaknesses(file, context, onSilenced) : [];
  const functions = await measureFunctions(file, context);
  const standards = checkStandards(file, functions, setup.standard);
  const hideSecrets = secretHider(file.text);
  const wanted = [...linted, ...security, ...standards].filter(({ area }) => areas.has(area));
  const merged = silenceFindings(file.text, mergeFindings(wanted));
  return {
    file,
    findings: merged.kept.map(hideSecrets),
    silenced: silenced + merged.silenced.length,
    functions,
    engines: {
      [profileOf(file.language).linter]: linted.length,
      ...(areas.has('security') ? { security: security.length } : {}),
      complexity: standards.length,
    },
  };
}

/** Queries, pages and style sheets have no functions. */
async function measureFunctions(
  file: SourceFile,
  context: CodeContext,
): Promise<readonly FunctionComplexity[]> {
  if (['sql', 'html', 'css'].includes(file.language)) return [];
  const { measureComplexity } = await import('../complexity/measure-complexity.ts');
  return (await measureComplexity(file, context)).functions;
}

async function findWeaknesses(
  file: SourceFile,
  context: CodeContext,
  onSilenced: (count: number) => void,
): Promise<LintFinding[]> {
  const { findings, silenced = [] } = await inspectFile(file, context);
  onSilenced(silenced.length);
  const weaknesses = findings.map(
    ({ severity, rule, message, file: path, line, column, fix }): LintFinding => ({
      severity,
      area: 'security',
      rule,
      message,
      file: path,
      line,
      column,
      ...(fix === undefined ? {} : { fix }),
    }),
  );
  return [...weaknesses, ...findGenericSecrets(file)];
}

/** Secrets that only the name beside them gives away: the scanner leaves them to its language rules. */
function findGenericSecrets(file: SourceFile): LintFinding[] {
  return findSecrets(file.text)
    .filter(({ rule }) => rule === 'generic-secret')
    .map(({ severity, rule, title, preview, line, column }) => ({
      severity,
      area: 'security',
      rule: `secrets/${rule}`,
      message: `${title} in the source (${preview})`,
      file: file.path,
      line,
      column,
      fix: 'Revoke it, then read the new one from the environment or a secret store.',
    }));
}

/**
 * Linters quote the source, and the source may hold a secret: known by its own form, or only by the
 * name it is given to, which the quotation may lack. They quote the line they speak of.
 */
function secretHider(text: string): (finding: LintFinding) => LintFinding {
  const ofLine = Map.groupBy(findSecrets(text), ({ line }) => line);
  return (finding) => {
    const hide = (quoted: string): string =>
      (ofLine.get(finding.line) ?? []).reduce(
        (left, { start, end, rule }) => left.replaceAll(text.slice(start, end), `[hidden ${rule}]`),
        hideSecrets(quoted).text,
      );
    return {
      ...finding,
      message: hide(finding.message),
      ...(finding.fix === undefined ? {} : { fix: hide(finding.fix) }),
    };
  };
}
