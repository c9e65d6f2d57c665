import { createHash } from 'node:crypto';

/** What is the same in failures of one kind: names, places and numbers of this one are left out. */
export interface NormalisedError {
  readonly text: string;
  readonly signature: string;
  readonly words: ReadonlySet<string>;
}

/** Lines of an error that are compared: the first ones, and the last, which often says what happened. */
const maxLines = 40;
const maxLineLength = 400;
const signatureLength = 16;

/** In this order: what an earlier one left as `<…>` no later one touches. */
const placeholders: readonly (readonly [RegExp, string])[] = [
  // oxlint-disable-next-line no-control-regex -- colours of terminals
  [/\u001B\[[0-9;?]*[ -/]*[@-~]/g, ''],
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>()]+/gi, '<url>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(?:sha\d+[:-])?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b/gi, '<hash>'],
  [/(?:[A-Za-z]:)?(?:\.{1,2}|~)?(?:[\\/][\w.@+~-]+)+[\\/]?/g, '<path>'],
  [
    /\b[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|json|ya?ml|toml|txt|md|sql|db|sh|c|h|cpp|so|csv|lock)\b/g,
    '<file>',
  ],
  [/\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b/g, '<host>'],
  [/\bv?\d+(?:\.\d+)+(?:[-+.\w]*)?\b/g, '<version>'],
  [/"[^"\n]{0,200}"|`[^`\n]{0,200}`|‘[^’\n]{0,200}’|(?<![\w])'[^'\n]{0,200}'/g, '<quoted>'],
];

/** Kept as they are: what identifies the error itself. */
const keptNumbers =
  /\b(?:errno|error|code|exit(?:ed)?(?: with)?(?: code| status)?|status|signal|http|E|TS|rc)[ :=#[(]*\d+/gi;

/** Leaves out what differs between failures of one kind; error classes, codes and exit codes stay. */
export function normaliseError(
  text: string,
  known: { readonly code?: string; readonly exitCode?: number } = {},
): NormalisedError {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const chosen =
    lines.length <= maxLines
      ? lines
      : [...lines.slice(0, maxLines / 2), ...lines.slice(-maxLines / 2)];
  const cut = chosen.map((line) => line.trim().slice(0, maxLineLength)).join('\n');
  const replaced = placeholders.reduce(
    (all, [pattern, mark]) => all.replaceAll(pattern, mark),
    cut,
  );
  const plain = withoutNumbers(replaced);
  const facts = [known.code, known.exitCode === undefined ? undefined : `exit ${known.exitCode}`];
  const whole = [...facts.filter((fact) => fact !== undefined), plain].join('\n');
  const digest = createHash('sha256').update(whole).digest('hex');
  return { text: whole, signature: digest.slice(0, signatureLength), words: wordsOf(whole) };
}

/** Share of the words of two errors that both have; 1 for equal ones. */
export function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / (one.size + other.size - shared);
}

function withoutNumbers(text: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(keptNumbers)) {
    result += text.slice(from, match.index).replaceAll(/\d+/g, '<n>') + match[0];
    from = match.index + match[0].length;
  }
  return result + text.slice(from).replaceAll(/\d+/g, '<n>');
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/<\w+>|[a-z_][a-z0-9_.]*/g) ?? []);
}
