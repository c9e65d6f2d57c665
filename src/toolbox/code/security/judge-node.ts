import type { Node } from 'web-tree-sitter';
import { isPlaceholder } from '../secrets/judge-secret.ts';
import type { Kinds, NodeTest } from './security-rules.ts';

/** What a condition is about: a node with its source, or text alone. */
export interface Subject {
  readonly source: string;
  readonly node?: Node | undefined;
}

/** What conditions may want to know beyond the subject. */
export interface Setting {
  readonly kinds?: Kinds | undefined;
  /** Variables that hold what a client sent. */
  readonly carriers: ReadonlySet<string>;
  /** What a variable was given before. */
  readonly valuesOf: (variable: Node) => readonly Subject[];
  /** The subjects of another selector of the same match. */
  readonly select: (selector: string) => readonly Subject[];
}

type Check = (subject: Subject, test: NodeTest, setting: Setting) => boolean;

/** Whether one of the subjects fits the test, and none fits its `not`. */
export function holds(subjects: readonly Subject[], test: NodeTest, setting: Setting): boolean {
  if (test.missing) return subjects.length === 0;
  if (test.not && holds(subjects, test.not, setting)) return false;
  const wanted = checks.filter(([field]) => test[field] !== undefined);
  if (wanted.length === 0) return true;
  const all =
    test.is === 'assembled' ? subjects.flatMap((each) => withValues(each, setting)) : subjects;
  return all.some((subject) => wanted.every(([, check]) => check(subject, test, setting)));
}

/** A text may be put together in a variable first. */
function withValues(subject: Subject, { valuesOf }: Setting): readonly Subject[] {
  const { node } = subject;
  return node?.type === 'identifier' ? [subject, ...valuesOf(node)] : [subject];
}

const checks: readonly (readonly [keyof NodeTest, Check])[] = [
  ['source', ({ source }, { source: pattern }) => pattern?.test(source) ?? false],
  ['type', ({ node }, { type }) => node !== undefined && (type?.test(node.type) ?? false)],
  [
    'text',
    (subject, { text }, setting) => {
      const literal = literalText(subject, setting);
      return literal !== undefined && (text?.test(literal) ?? false);
    },
  ],
  ['is', (subject, { is = 'text' }, setting) => isOfKind[is](subject, setting)],
  ['below', ({ source }, { below = 0 }) => /^\d+$/.test(source) && Number(source) < below],
  [
    'bits',
    ({ source }, { bits = 0 }) => {
      const digits = /^0o?([0-7]{3,6})$/.exec(source)?.[1] ?? '0';
      return (Number.parseInt(digits, 8) & bits) !== 0;
    },
  ],
  [
    'secretOf',
    (subject, { secretOf = '' }, setting) => {
      const literal = literalText(subject, setting);
      const names = setting.select(secretOf).map(({ source }) => source.split(/[.,\s]+/).at(-1));
      return literal !== undefined && names.some((name = '') => isLiteralSecret(name, literal));
    },
  ],
];

const isOfKind: Readonly<
  Record<NonNullable<NodeTest['is']>, (subject: Subject, setting: Setting) => boolean>
> = {
  text: (subject, setting) => literalText(subject, setting) !== undefined,
  constant: isConstant,
  dynamic: (subject, setting) => !isConstant(subject, setting),
  assembled: (subject, setting) =>
    setting.kinds?.built?.test(subject.source) === true ||
    (isJoined(subject, setting) && !isConstant(subject, setting)),
  request: ({ node, source }, { kinds, carriers }) =>
    kinds?.request?.test(source) === true ||
    (carriers.size > 0 &&
      node !== undefined &&
      isShort(node) &&
      node.descendantsOfType('identifier').some(({ text }) => carriers.has(text))),
  repeating: (subject, setting) =>
    hasNestedRepetition(literalText(subject, setting) ?? subject.source),
};

/** `a + b`, `"…" % b` and templates; other operators make no text. */
function isJoined({ node }: Subject, { kinds }: Setting): boolean {
  const operator = node?.childForFieldName('operator')?.text ?? '+';
  return node !== undefined && kinds?.joined.test(node.type) === true && /^[+%]$/.test(operator);
}

const quotes = /^[a-zA-Z]{0,2}#{0,5}["'`]|["'`]#{0,5}$/g;

/** The contents of a text literal; undefined for everything else. */
function literalText({ node, source }: Subject, { kinds }: Setting): string | undefined {
  if (!node || !kinds?.text.test(node.type) || hasDynamicPart(node, kinds)) return undefined;
  return source.replaceAll(quotes, '');
}

function isConstant({ node, source }: Subject, { kinds }: Setting): boolean {
  if (!node || !kinds) return true;
  if (kinds.constantName?.test(source)) return true;
  return kinds.constant.test(node.type) && !hasDynamicPart(node, kinds);
}

function hasDynamicPart(node: Node, { dynamic, constantName }: Kinds): boolean {
  if (!isShort(node)) return true;
  return node
    .descendantsOfType([...dynamic])
    .some(({ text }) => constantName === undefined || !constantName.test(text));
}

/** Longer expressions are not looked into: they count as varying. */
function isShort(node: Node): boolean {
  return node.endIndex - node.startIndex <= maxExpression;
}

const maxExpression = 5_000;

const secretName =
  /(?:^|[_a-z0-9])(?:pass(?:word|phrase|wd)|pwd|secret|token|api_?key|private_?key|access_?key|auth_?key|credential)s?$/i;
const minSecretLength = 6;
const maxSecretLength = 500;

/** Whether a literal given to something of this name looks like a secret written in the source. */
function isLiteralSecret(name: string, text: string): boolean {
  if (name.length > maxSecretLength || !secretName.test(name)) return false;
  if (text.length < minSecretLength || text.length > maxSecretLength) return false;
  if (isPlaceholder(text) || /\s/.test(text)) return false;
  // Parsers speak of tokens too; theirs are words and signs.
  if (/tokens?$/i.test(name) && !/[0-9]/.test(text)) return false;
  return !isPlainName(text);
}

/** A word, a dotted or dashed name, a path, an address: what names things rather than opens them. */
function isPlainName(text: string): boolean {
  return (
    /^[A-Za-z]+(?:[_.:/-][A-Za-z]+){0,10}$/.test(text) || /^(?:https?:|\/|\.|#|\$|%)/.test(text)
  );
}

const maxPatternLength = 5_000;

interface Group {
  /** Something inside may match in more than one length. */
  repeats: boolean;
  /** The group holds alternatives that can start with the same character. */
  readonly start: number;
}

/**
 * Whether a regular expression repeats something without bound that itself repeats without bound
 * and has nothing else to hold on to: `(a+)+`, `(.*)*`, `(\w+\s?)*`. Errs on the side of silence.
 */
function hasNestedRepetition(source: string): boolean {
  if (source.length > maxPatternLength) return false;
  const groups: Group[] = [];
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    const character = source[at - 1] === '\\' ? 'x' : source[at];
    if (character === '[') at = endOfClass(source, at);
    else if (character === '(') groups.push({ repeats: false, start: at });
    else if (character === ')') {
      const group = groups.pop();
      const unbounded = isUnbounded(source, at + 1);
      if (group?.repeats && unbounded && isAmbiguous(source.slice(group.start, at + 1)))
        return true;
      const outer = groups.at(-1);
      if (outer && unbounded) outer.repeats = true;
    } else if (isUnbounded(source, at + 1)) {
      const group = groups.at(-1);
      if (group) group.repeats = true;
    }
  }
  return false;
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return isUnbounded(source, at + 1) ? at - 1 : at;
  }
  return source.length;
}

function isUnbounded(source: string, at: number): boolean {
  return source[at] === '*' || source[at] === '+' || /^\{\d+,\}/.test(source.slice(at, at + 12));
}

/** One repeated atom, perhaps with an optional one beside it: it can be cut in many ways. */
function isAmbiguous(group: string): boolean {
  const body = group.slice(1, -1).replace(/^\?(?::|<\w+>)/, '');
  const atom = String.raw`(?:\\.|\[(?:\\.|[^\]\\]){1,200}\]|\((?:[^()\\]|\\.){1,200}\)|[^()[\]\\*+?|])`;
  return new RegExp(
    `^(?:${atom}[*?]){0,5}${atom}(?:[*+]|\\{\\d+,\\})(?:${atom}[*?]){0,5}$`,
    's',
  ).test(body);
}
