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
/** Values that behave like no other. */
const specials = /\b(?:NaN|-?Infinity|\w*\.?(?:Max|Min)U?Int\w*|MAX_SAFE_INTEGER)\b/g;

const kept =
  /(?:(?:\bnot|n't|\bnever|\bwithout|\bneither)\b[^.;\n]{0,40}\b(?:chang|mutat|modif|alter|touch)\w*|\b(?:stays?|remains?|leaves?|keeps?)\b[^.;\n]{0,30}\b(?:as (?:it|they) (?:is|are|was|were)|unchanged|untouched|intact)|\bnew (?:list|array|object|dict\w*|map)\b)/i;

/** Whether a request says that arguments stay as they are. */
export function wantsArgumentsKept(request: string): boolean {
  return kept.test(request);
}

/**
 * The first sentence of a request that says more than the user's checks show; undefined when there is none. Code that passes all
 * checks of the user, and is wrong, contradicts such a sentence. Sentences are compared by their words: it errs towards "not shown".
 */
export function findUnshown(
  request: string,
  examples: readonly { readonly text: string }[],
  shown: Shown,
): string | undefined {
  const prose = examples.reduce(
    (text, example) => text.replace(example.text, '\n'),
    request.replaceAll('`', '').replaceAll(/^\s*(?:>>>|>)\s?/gm, ''),
  );
  return sentencesOf(prose).find(
    (sentence) => isClaim(sentence, shown) && !isShown(sentence, shown),
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

function isClaim(sentence: string, { kind, code, checks }: Shown): boolean {
  if (constraints.test(sentence)) return true;
  if (kind === 'tests') return !sharesWords(sentence, checks);
  return generalities.test(sentence) || namesUnknownValue(sentence, `${code}\n${checks}`);
}

/** A sentence of some length that has no word in common with the tests is about something else. */
function sharesWords(sentence: string, checks: string): boolean {
  const words = contentOf(sentence);
  return words.length < leastWords || words.some((word) => checks.toLowerCase().includes(word));
}

const leastWords = 5;

/** Whether it names a number, a text or a special value that neither the code nor a check has: `1h30m means 5400`. */
function namesUnknownValue(sentence: string, known: string): boolean {
  const numbers = sentence.match(/(?<![\w.^-])\d(?:\w|[.,]\d)*/g) ?? [];
  const texts = [...sentence.matchAll(/"([^"\n]{1,60})"/g)].map(([, text]) => text ?? '');
  const values = numbers.map((number) => number.replaceAll(',', ''));
  const special = sentence.match(specials) ?? [];
  return [...values, ...texts, ...special].some(
    (value) => !asWritten(value).some((one) => known.includes(one)),
  );
}

/** `20` for a percentage may stand in the code as `0.2`, and `1,000` as `1_000`. */
function asWritten(value: string): string[] {
  const number = Number(value);
  if (!Number.isFinite(number)) return [value];
  const parts = [number, number / 100, 1 - number / 100, 1 + number / 100].map(String);
  return [value, ...parts, value.replaceAll(/\B(?=(?:\d{3})+$)/g, '_')];
}

/** Signs in a check that it shows what a sentence is about. */
const signs: readonly (readonly [RegExp, RegExp])[] = [
  [/\bempty\b/i, /\[\]|""|''|\{\}|\(\)/],
  [/\bnegative\b|\bsign\b/i, /-\d/],
  [/\bunicode\b|\butf-?8\b|\bcharacters\b/i, /[^\0-\x7f]/],
];

function isShown(sentence: string, { kind, checks, areArgumentsKept }: Shown): boolean {
  if (areArgumentsKept && kept.test(sentence)) return true;
  if ((sentence.match(specials) ?? []).some((value) => !checks.includes(value))) return false;
  const errors = sentence.match(/\b[A-Z]\w*(?:Error|Exception)\b/g) ?? [];
  if (errors.length > 0) return errors.every((name) => checks.includes(name));
  const about = signs.filter(([topic]) => topic.test(sentence));
  if (about.length > 0) return about.every(([, sign]) => sign.test(checks));
  if (kind === 'examples') return false;
  const words = contentOf(sentence);
  const found = words.filter((word) => checks.toLowerCase().includes(word));
  return found.length * 2 > words.length;
}

/** The words of a sentence that say what it is about, by their beginnings. */
function contentOf(sentence: string): string[] {
  const words = sentence.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return [...new Set(words.filter((word) => !fillers.test(word)).map((word) => word.slice(0, 5)))];
}

const fillers =
  /^(?:must|never|always|with|that|this|than|then|them|they|from|into|when|more|only|some|other|have|does|should|which|there|tests?|mine|please|same|time|used?)$/;

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
