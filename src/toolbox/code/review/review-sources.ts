import type { CallContext } from '../../../contract/server/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import type { CodeContext, CodeSettings } from '../code-context.ts';
import { CodeSyntaxError, TooComplexError } from '../errors.ts';
import { type FocusArea, focusAreas } from '../finding.ts';
import { packageVersion } from '../format/engine.ts';
import { chooseStyleGuide } from '../language.ts';
import type { LintFinding } from '../lint/lint-data.ts';
import { fixOnce } from '../refactor/refactor-file.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import {
  countSeverities,
  reportSelection,
  type SelectionRequest,
} from '../select/report-selection.ts';
import { forEachFile, type SelectedSources, selectSources } from '../select/select-sources.ts';
import type { SourceFile, SourceRequest } from '../source-files.ts';
import type { CodeStandard, CodeStandards } from './code-standard.ts';
import type { ReviewOutput } from './review-code-tool.ts';
import { type FileReview, reviewFile, type ReviewSetup } from './review-file.ts';
import {
  isAboutSecret,
  mergeFindings,
  scoreOf,
  severityWeights,
  syntaxErrorRule,
} from './score.ts';

interface ReviewRequest extends SourceRequest, SelectionRequest {
  readonly style_guide?: string | undefined;
  readonly focus_areas: readonly FocusArea[];
}

interface ReviewParts {
  readonly context: CodeContext;
  readonly standards: CodeStandards;
}

/**
 * Reviews what a request names. A single text that does not parse is an error; in a folder such a
 * file is an issue, and the others are reviewed.
 */
export async function reviewSources(
  request: ReviewRequest,
  call: CallContext,
  parts: ReviewParts,
): Promise<ReviewOutput> {
  const selected = await selectSources(request, parts.context, call);
  const reviewed = await reviewAll(request, selected, { call, parts });
  const { reviews, unparsed, areas } = reviewed;
  const isTest = new Set(selected.tests.map(({ path }) => path));
  const all = mergeFindings([...unparsed, ...reviews.flatMap((review) => review.findings)]);
  const own = all.filter(({ file }) => !isTest.has(file));
  const tests = all.filter(({ file }) => isTest.has(file));
  const silenced = reviews.reduce((sum, review) => sum + review.silenced, 0);
  const report = await reportSelection(request, { selected, own, tests, silenced }, parts.context);
  const ownReviews = reviews.filter(({ file }) => !isTest.has(file.path));
  const files = [...selected.own, ...selected.tests];
  const [only] = files.length === 1 ? reviews : [];
  const lines = files.length === 1 ? undefined : countLines(selected.own);
  return {
    overall_score: scoreOf(own, lines),
    ...describeFindings(report, parts.context.settings),
    ...report.fields,
    suggestions: [
      ...describeHiddenScore(own, unparsed, lines),
      ...suggest(report.own),
      ...(only && holdsSecret(only) ? [withheldText] : []),
    ],
    compliments: compliment({ reviews: ownReviews, areas, standards: parts.standards }),
    ...(only && !holdsSecret(only)
      ? { refactored_code: await fixOnce(only.file, only.findings, parts.context) }
      : {}),
    engines: await describeEngines(reviews, parts.context),
    style_guides: Object.fromEntries(
      files.map(({ language }) => [language, chooseStyleGuide(language, request.style_guide).name]),
    ),
    files_reviewed: ownReviews.length,
    made_without_model: true,
  };
}

async function reviewAll(
  request: ReviewRequest,
  selected: SelectedSources,
  { call, parts }: { readonly call: CallContext; readonly parts: ReviewParts },
) {
  const areas = new Set(request.focus_areas.length > 0 ? request.focus_areas : focusAreas);
  const reviews: FileReview[] = [];
  const unparsed: LintFinding[] = [];
  const files = [...selected.own, ...selected.tests];
  await forEachFile(files, call, {
    work: async (file) =>
      reviews.push(await reviewFile(file, setupFor(file, { request, areas, parts }))),
    onError: (file, error) => {
      const isUnreadable = error instanceof CodeSyntaxError || error instanceof TooComplexError;
      if (isUnreadable) unparsed.push(describeUnparsed(file, error));
      return isUnreadable;
    },
  });
  return { reviews, unparsed, areas };
}

/** Lines that are not empty: blank ones add nothing that could be wrong. */
function countLines(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + (text.match(/^.*\S/gm)?.length ?? 0), 0);
}

const withheldText =
  'refactored_code was left out because the text holds a secret; refactor_code returns it with the secret in it';

/** Whatever areas were asked for: the text itself must not be returned then. */
function holdsSecret({ file, findings }: FileReview): boolean {
  return findings.some(isAboutSecret) || findSecrets(file.text).length > 0;
}

function setupFor(
  file: SourceFile,
  {
    request,
    areas,
    parts,
  }: {
    readonly request: ReviewRequest;
    readonly areas: ReadonlySet<FocusArea>;
    readonly parts: ReviewParts;
  },
): ReviewSetup {
  const guide = chooseStyleGuide(file.language, request.style_guide);
  return {
    context: parts.context,
    guide,
    standard: parts.standards[file.language],
    lineLength: guide.lineLength ?? parts.context.settings.lineLength,
    areas,
  };
}

function describeUnparsed(file: SourceFile, error: CodeSyntaxError | TooComplexError): LintFinding {
  const { line, column } = error.details;
  return {
    severity: 'critical',
    area: 'correctness',
    rule: `${file.language}/${syntaxErrorRule}`,
    message: 'The file does not parse, so nothing else is known about it',
    file: file.path,
    line: typeof line === 'number' ? line : 1,
    column: typeof column === 'number' ? column : 1,
  };
}

function describeFindings(
  report: { readonly own: readonly LintFinding[]; readonly tests: readonly LintFinding[] },
  settings: CodeSettings,
) {
  const listed = [...report.own, ...report.tests]
    .filter(({ severity }) => settings.severityLevels.includes(severity))
    .slice(0, settings.maxIssues);
  return {
    issues: listed,
    issues_total: report.own.length,
    issues_omitted: report.own.length + report.tests.length - listed.length,
    counts: countSeverities(report.own),
  };
}

/** The score is 0 while a file does not parse; what it would be without such files still helps. */
function describeHiddenScore(
  findings: readonly LintFinding[],
  unparsed: readonly LintFinding[],
  lines: number | undefined,
): string[] {
  const files = new Set(unparsed.map(({ file }) => file));
  if (!findings.some(({ file }) => files.has(file))) return [];
  const score = scoreOf(
    findings.filter(({ file }) => !files.has(file)),
    lines,
  );
  return [
    `Make ${pluralize(files.size, 'file')} parse: the score is 0 until then, and ${score} for the others alone`,
  ];
}

async function describeEngines(reviews: readonly FileReview[], context: CodeContext) {
  const totals = new Map<string, number>();
  for (const { engines } of reviews) {
    for (const [name, found] of Object.entries(engines)) {
      totals.set(name, (totals.get(name) ?? 0) + found);
    }
  }
  return Promise.all(
    [...totals].map(async ([name, found]) => ({
      name,
      version: await engineVersion(name, context),
      findings: found,
    })),
  );
}

const npmEngines: ReadonlySet<string> = new Set(['eslint', 'stylelint', 'html-validate']);

async function engineVersion(name: string, context: CodeContext): Promise<string> {
  if (name === 'ruff') return context.ruff.version();
  return npmEngines.has(name) ? packageVersion(name) : 'built in';
}

const maxSuggestions = 8;
const maxPlaces = 5;

/** What to do first: the rules that cost most, with where they were broken. */
function suggest(findings: readonly LintFinding[]): string[] {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const ranked = [...byRule.values()]
    .map((broken) => ({ broken, weight: weightOf(broken) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, maxSuggestions);
  const suggestions = ranked.map(({ broken }) => describeRule(broken));
  const fixable = findings.filter(({ safeFix }) => safeFix).length;
  return fixable > 0
    ? [...suggestions, `refactor_code can cure ${fixable} of the issues safely`]
    : suggestions;
}

function weightOf(findings: readonly LintFinding[]): number {
  return findings.reduce((sum, { severity }) => sum + severityWeights[severity], 0);
}

function describeRule(broken: readonly LintFinding[]): string {
  const [first] = broken;
  if (!first) return '';
  const places = broken.slice(0, maxPlaces).map(({ file, line }) => `${file}:${line}`);
  const more = broken.length > maxPlaces ? ` and ${broken.length - maxPlaces} more` : '';
  const advice = first.fix === undefined ? first.message : `${first.message} – ${first.fix}`;
  return `${first.rule} (${broken.length} ×): ${advice} [${places.join(', ')}${more}]`;
}

/** What a review was about, for statements that must be true of all of it. */
interface Reviewed {
  readonly reviews: readonly FileReview[];
  readonly areas: ReadonlySet<FocusArea>;
  readonly standards: CodeStandards;
}

const simpleFunction = 5;
const documentationRules = /\/(?:D10[0-3]|missing-javadoc|missing-doc)$/;
const documentedLanguages: ReadonlySet<string> = new Set(['python', 'java', 'go', 'rust']);
const unusedRules = /\/(?:F401|F841|unused-|no-unused-)/;

/** What the measurements speak well of. Nothing is said that was not looked for. */
function compliment({ reviews, areas, standards }: Reviewed): string[] {
  const standard = strictest(reviews, standards);
  const findings = reviews.flatMap((review) => review.findings);
  const functions = reviews.flatMap((review) => review.functions);
  const has = (test: (finding: LintFinding) => boolean): boolean => findings.some(test);
  const most = (measure: (one: (typeof functions)[number]) => number): number =>
    functions.reduce((highest, one) => Math.max(highest, measure(one)), 0);
  const isDocumented = reviews.every(({ file }) => documentedLanguages.has(file.language));
  const statements: (string | false)[] = [
    areas.has('security') &&
      reviews.length > 0 &&
      !has(({ area }) => area === 'security') &&
      'The security rules found nothing',
    areas.has('correctness') &&
      reviews.length > 0 &&
      !has(({ area }) => area === 'correctness') &&
      'The rules about likely bugs found nothing',
    areas.has('complexity') && functions.length > 0 && describeCalm(most, standard),
    areas.has('maintainability') &&
      functions.length > 0 &&
      most(({ lines }) => lines) <= standard.functionLines &&
      `No function is longer than ${most(({ lines }) => lines)} lines`,
    areas.has('maintainability') &&
      functions.length > 0 &&
      !has(({ rule }) => unusedRules.test(rule)) &&
      'No unused import or variable was found',
    areas.has('documentation') &&
      isDocumented &&
      functions.length > 0 &&
      !has(({ rule }) => documentationRules.test(rule)) &&
      'No public definition without documentation was found',
  ];
  return statements.filter((statement) => statement !== false);
}

function describeCalm(
  most: (measure: (one: FileReview['functions'][number]) => number) => number,
  standard: CodeStandard,
): string | false {
  const highest = most(({ cyclomatic }) => cyclomatic);
  if (highest <= simpleFunction) return `No function has a cyclomatic complexity above ${highest}`;
  return highest <= standard.cyclomaticLimit
    ? `No function exceeds the cyclomatic complexity limit of ${standard.cyclomaticLimit}`
    : false;
}

/** Of several languages the lowest limits: what keeps to them keeps to all. */
function strictest(reviews: readonly FileReview[], standards: CodeStandards): CodeStandard {
  const used = reviews.map(({ file }) => standards[file.language]);
  const lowest = (limit: keyof CodeStandard): number =>
    used.reduce((least, standard) => Math.min(least, standard[limit]), Number.POSITIVE_INFINITY);
  return {
    cyclomaticLimit: lowest('cyclomaticLimit'),
    cognitiveLimit: lowest('cognitiveLimit'),
    nestingLimit: lowest('nestingLimit'),
    parameterLimit: lowest('parameterLimit'),
    functionLines: lowest('functionLines'),
    fileLines: lowest('fileLines'),
  };
}
