import type { FocusArea } from '../finding.ts';
import type { LintFinding } from '../lint/lint-data.ts';
import type { CodeStandard, CodeStandards } from './code-standard.ts';
import type { FileReview } from './review-file.ts';
import { severityWeights } from './score.ts';

const maxSuggestions = 8;
const maxPlaces = 5;

/** What to do first: the rules that cost most, with where they were broken. */
export function suggest(findings: readonly LintFinding[]): string[] {
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
export function compliment({ reviews, areas, standards }: Reviewed): string[] {
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
