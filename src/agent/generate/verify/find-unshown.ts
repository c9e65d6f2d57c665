/** What a user's checks are searched for claims of the request. */
export interface Shown {
  readonly kind: 'tests' | 'examples';
  /** The tests or examples. */
  readonly checks: string;
  readonly code: string;
  /** Whether it was checked that arguments stay as they are. */
  readonly areArgumentsKept: boolean;
}

/** Constraints: ordinary inputs and results do not show that they hold. */
const constraints =
  /\b(?:must(?:n't)?|never|always|guarantee\w*|stabl[ey]|safe(?:ly)?|threads?|thread-safe|concurren\w*|goroutines|leak\w*|recurs\w*|linear|complexity|efficient\w*|exact|avoid|on any machine|(?:do|does|may|should|can)(?: not|n't)|cannot|without)\b|\bO\(/i;
/** Claims about more inputs than a few examples have. */
const generalities =
  /\b(?:any|everything|(?:for|of) (?:all|every|each)|arbitrar\w*|whatever|regardless|keeps?|preserv\w*|ignor\w*|unicode|utf-?8|large|huge|order (?:of|in|they))\b/i;

const kept =
  /(?:(?:\bnot|n't|\bnever|\bwithout|\bneither)\b[^.;\n]{0,40}\b(?:chang|mutat|modif|alter|touch)\w*|\b(?:stays?|remains?|leaves?|keeps?)\b[^.;\n]{0,30}\b(?:as (?:it|they) (?:is|are|was|were)|unchanged|untouched|intact)|\bnew (?:list|array|object|dict\w*|map)\b)/i;

/** Whether a request says that arguments stay as they are. */
export function wantsArgumentsKept(request: string): boolean {
  return kept.test(request);
}

/** A request without its examples. */
export function proseOf(request: string, examples: readonly { readonly text: string }[]): string {
  return examples.reduce(
    (text, example) => text.replace(example.text, '\n'),
    request.replaceAll('`', '').replaceAll(/^\s*(?:>>>|>)\s?/gm, ''),
  );
}

/** How many things a request says, by the parts of its sentences. */
export function countClauses(prose: string): number {
  const parts = prose.split(
    /[.,;:()\n]|\b(?:and|or|but|if|unless|when|where|which|that|except|else)\b/,
  );
  return parts.filter((part) => contentOf(part).length > 1).length;
}

/**
 * The first sentence of a request that says more than the user's checks show; undefined when there is none. Code that passes all
 * checks of the user, and is wrong, contradicts such a sentence. Sentences are compared by their words: it errs towards "not shown".
 */
export function findUnshown(prose: string, shown: Shown): string | undefined {
  return sentencesOf(prose).find(
    (sentence, index) =>
      namesUnknownNumber(sentence, `${shown.code}\n${shown.checks}`) ||
      (isClaim(sentence, shown, index === 0) && !isShown(sentence, shown)),
  );
}

function sentencesOf(prose: string): string[] {
  return prose.split(/(?<=[.!?;])(?<!\b(?:e\.g|i\.e)\.)\s+|\n+/).flatMap((part) => {
    const sentence = part.trim();
    const isAboutChecks = /\b(?:my|all|these|the|attached) (?:\w+ )?(?:tests|examples)\b/i.test(
      sentence,
    );
    return /[A-Za-z]{2}/.test(sentence) && !isAboutChecks ? [sentence] : [];
  });
}

/** What checks are of is said in the first sentence. What else is said, they have to show. */
function isClaim(sentence: string, { kind, checks }: Shown, isFirst: boolean): boolean {
  if (constraints.test(sentence)) return true;
  if (kind === 'examples') {
    return generalities.test(sentence) || (!isFirst && contentOf(sentence).length > 0);
  }
  if (isOf(sentence)) return true;
  if (contentOf(sentence).length < leastWords) return false;
  return sharedPart(sentence, checks) < (isFirst ? leastOfFirst : leastOfOthers);
}

/** The part of its words that the tests have. */
function sharedPart(sentence: string, checks: string): number {
  const words = contentOf(sentence);
  const found = words.filter((word) => checks.toLowerCase().includes(word));
  return found.length / words.length;
}

/** Fewer words say little about whether tests are about them. */
const leastWords = 3;
const leastOfFirst = 0.05;
const leastOfOthers = 0.3;

/** Whether it names a number that neither the code nor a check has: `at most 64`. */
function namesUnknownNumber(sentence: string, known: string): boolean {
  const numbers = sentence.match(/(?<![\w.^-])\d(?:[.,]?\d)*(?![\w-])/g) ?? [];
  return numbers.some((number) => {
    const written = asWritten(number.replaceAll(',', ''), /%|percent/.test(sentence));
    const patterns = written.map((one) => `(?<![\\w.])${RegExp.escape(one)}(?!\\w|\\.\\d)`);
    return !new RegExp(patterns.join('|')).test(known);
  });
}

/** `20` for a percentage may stand in the code as `0.2`, and `1,000` as `1_000`. */
function asWritten(value: string, isPercentage: boolean): string[] {
  const number = Number(value);
  const parts = isPercentage ? [number / 100, 1 - number / 100, 1 + number / 100] : [number];
  return [value, ...parts.map(String), value.replaceAll(/\B(?=(?:\d{3})+$)/g, '_')];
}

/** Signs in a check that it shows what a sentence is about. */
const signs: readonly (readonly [RegExp, RegExp])[] = [
  [/\bempty\b/i, /\[\]|""|''|\{\}|\(\)/],
  [/\bnegative\b|\bsign\b/i, /-\d/],
  [/\bunicode\b|\butf-?8\b/i, /[^\0-\x7f]/],
];
const errorNames = /\b[A-Z]\w*(?:Error|Exception)\b/g;

/** Whether a sentence is about a case that has a sign. */
function isOf(sentence: string): boolean {
  return sentence.search(errorNames) >= 0 || signs.some(([topic]) => topic.test(sentence));
}

function isShown(sentence: string, { kind, checks, areArgumentsKept }: Shown): boolean {
  if (areArgumentsKept && kept.test(sentence)) return true;
  const errors = sentence.match(errorNames) ?? [];
  if (errors.length > 0) return errors.every((name) => checks.includes(name));
  const about = signs.filter(([topic]) => topic.test(sentence));
  if (about.length > 0) return about.every(([, sign]) => sign.test(checks));
  if (kind === 'examples') return false;
  return sharedPart(sentence, checks) > 0.5;
}

/** The words of a sentence that say what it is about, by their beginnings. */
function contentOf(sentence: string): string[] {
  const words = sentence.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return [...new Set(words.filter((word) => !fillers.test(word)).map((word) => word.slice(0, 5)))];
}

const fillers =
  /^(?:must|never|always|with|that|this|than|then|them|they|from|into|when|more|only|some|other|have|does|should|which|there|tests?|mine|please|same|time|used?|examples?)$/;

const variable =
  /^(?:export\s+)?(?:(?:const|let|var)\s+)?([A-Za-z_$][\w$]*)\b[^=\n(]{0,80}=(?![=>])/gm;
const changing =
  'append|appendleft|add|clear|delete|extend|insert|pop|popitem|push|remove|set|setdefault|shift|splice|unshift|update';

/**
 * A variable of the module that a function changes, or a default argument that all calls share: what one call gives may depend on
 * those before. Examples, which are single calls, do not show that.
 */
export function findState(code: string): string | undefined {
  const shared =
    /^[ \t]*def\b[^\n]*?(\w+)(?:: [^=\n]{1,60})?\s*=\s*(?:\[|\{|dict\(|list\(|set\()/m.exec(code);
  if (shared) return shared[1];
  return [...code.matchAll(variable)]
    .map(([, name = '']) => name)
    .find((name) => {
      const own = RegExp.escape(name);
      const change = `(?:\\[[^\\]\\n]*\\])?\\s*(?:[-+*/%|&?]{0,2}=(?![=>])|\\+\\+|--)|\\.(?:${changing})\\(`;
      return new RegExp(
        `^[ \\t]+(?:.*[^\\w$.])?(?:(?<!\\b(?:const|let|var) )${own})(?:${change})`,
        'm',
      ).test(code);
    });
}
