import requirements from './requirements.json' with { type: 'json' };

/** What a user's checks are searched for claims of the request. */
export interface Shown {
  readonly kind: 'tests' | 'examples';
  /** The tests or examples. */
  readonly checks: string;
  readonly code: string;
  /** Whether it was checked that arguments stay as they are. */
  readonly areArgumentsKept: boolean;
}

/** Words of requirements that results of calls do not show, by kind; and of claims about more inputs than a few examples have. */
const kinds: readonly (readonly [string, RegExp])[] = Object.entries(requirements.unshowable).map(
  ([kind, patterns]) => [kind, wordsOf(patterns)],
);
const generalities = wordsOf(requirements.generalities);
/** Kinds of input, and what a value of them has. */
const inputs: readonly (readonly [RegExp, RegExp])[] = Object.entries(requirements.signs).map(
  ([topic, sign]) => [wordsOf([topic]), new RegExp(sign, 'm')],
);

function wordsOf(patterns: readonly string[]): RegExp {
  return new RegExp(`(?<!\\w)(?:${patterns.join('|')})(?!\\w)`, 'i');
}

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
 * What the user's checks leave open of a request; undefined when nothing is. Each sentence has to be one that results of calls can show, the
 * checks need what it names, and they have to be about it. Code that passes all checks of the user, and is wrong, contradicts such a
 * sentence. Sentences are read by their words: it errs towards "not shown".
 */
export function findUnshown(prose: string, shown: Shown): string | undefined {
  const sentences = sentencesOf(prose);
  for (const sentence of sentences) {
    const kind = kindOf(sentence, shown);
    if (kind) return `what results of calls cannot show (${kind}): ${JSON.stringify(sentence)}`;
  }
  const known = `${shown.code}\n${shown.checks}`;
  const said = sentences.filter((sentence) => !isAboutChecks(sentence));
  // What follows examples without a sentence before them is a claim, too.
  const first = said.find((sentence) => prose.trimStart().startsWith(sentence));
  const open = said.find(
    (sentence) =>
      namesUnknownNumber(sentence, known) ||
      namesUnknown(sentence, shown) ||
      (isClaim(sentence, shown, sentence === first) && !isShown(sentence, shown)),
  );
  if (open !== undefined) return `${shown.kind} of yours that show: ${JSON.stringify(open)}`;
  return findFewValues(said, shown);
}

/** The kind of a requirement that no result shows. */
function kindOf(sentence: string, { areArgumentsKept }: Shown): string | undefined {
  const rest = areArgumentsKept ? sentence.replace(kept, '') : sentence;
  return kinds.find(([, words]) => words.test(rest))?.[0];
}

function sentencesOf(prose: string): string[] {
  const parts = prose.split(/(?<=[.!?;])(?<!\b(?:e\.g|i\.e)\.)\s+|\n+/);
  return parts.map((part) => part.trim()).filter((part) => /\p{L}{2}/u.test(part));
}

/** `My tests are attached.` */
function isAboutChecks(sentence: string): boolean {
  return /\b(?:my|all|these|the|attached) (?:\w+ )?(?:tests|examples)\b/i.test(sentence);
}

/** What checks are of is said in the first sentence. What else is said, they have to show. */
function isClaim(sentence: string, { kind, checks }: Shown, isFirst: boolean): boolean {
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

/** Whether it names a function, a special value, a sign or a kind of input that the tests do not have, other than in their names. */
function namesUnknown(sentence: string, { kind, checks }: Shown): boolean {
  if (kind === 'examples') return false;
  const used = withoutNames(checks);
  const values = valuesOf(used).join('\n');
  const names = [...(sentence.match(named) ?? []), ...optionsOf(sentence)];
  const signs = (sentence.match(symbols) ?? []).flatMap((list) => list.match(/[^\s,\w]+/g) ?? []);
  return (
    names.some(
      (name) => !new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, 'i').test(used),
    ) ||
    signs.some((sign) => !values.includes(sign)) ||
    inputs.some(([topic, sign]) => topic.test(sentence) && !sign.test(values))
  );
}

/** Functions, constants, special values. */
const named =
  /(?<![\w$.])(?!(?:func|function|e\.g)\b)(?:[A-Za-z_$][\w$]*(?=\()|__\w+|Err[A-Z]\w*|None|null|undefined|nil|NaN|Infinity)(?![\w$])/g;

/** Names of several words (`ignoreCase`, `max_size`) but for parameters, which tests give by their position. */
function optionsOf(sentence: string): string[] {
  const prose = sentence.replaceAll(/(?<=\w)\([^(){}]*\)/g, '');
  return prose.match(/(?<![\w$.])(?:[a-z]+[A-Z]|[a-z]+_[a-z])\w*(?![\w$(])/g) ?? [];
}

/** `+`, `-`, `*` and `/`; "a leading +". */
const sign = /[-+*/%=@#&<>!^~$]{1,2}/.source;
const symbols = new RegExp(
  `(?<=^|[,(\\s"'])(?:${sign}(?:,\\s*|\\s+(?:(?:and|or)\\s+)?)){1,20}${sign}(?=[\\s,.;)"']|$)|(?<=\\b(?:an?|the|with|by|of|leading|trailing|character|sign)\\s|["'])${sign}(?=[\\s,.;)"']|$)`,
  'g',
);

/** Tests without what only people read: names and comments. */
function withoutNames(tests: string): string {
  return tests
    .replaceAll(
      /\b(?:test|it|describe|suite|Run|subTest)(?:\.\w+)?\(\s*(["'`])(?:\\.|(?!\1)[^\\])*\1/g,
      '',
    )
    .replaceAll(/^\s*"""[^]*?"""/gm, '')
    .replaceAll(/(?:^|\s)(?:\/\/|#)\s.*$/gm, '');
}

/** Literals, names of errors, and empty collections. */
function valuesOf(tests: string): readonly string[] {
  const value =
    /(["'`])(?:\\.|(?!\1)[^\\])*\1|(?<![\w.])-?\d[\w.]*|\b(?:true|false|None|null|undefined|nil|\w+(?:Error|Exception))\b|\[\]|\{\}/gi;
  return tests.match(value) ?? [];
}

/** A check has an input, and mostly a result of its own: so many values for each thing that the request says. */
const valuesPerClause = 1.5;

function findFewValues(said: readonly string[], { kind, checks }: Shown): string | undefined {
  if (kind === 'examples') return undefined;
  const needed = Math.ceil(countClauses(said.join('\n')) * valuesPerClause);
  const count = new Set(valuesOf(withoutNames(checks))).size;
  if (count >= needed) return undefined;
  return `tests of yours with ${needed} different inputs and results; these have ${count}`;
}

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
