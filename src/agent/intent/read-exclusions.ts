/** What a message says must be left out of what is looked at or changed. */
export interface Exclusions {
  /** The message without those words. */
  readonly said: string;
  /** Patterns as in .gitignore. */
  readonly patterns: readonly string[];
  /** What is to be left out and is nowhere in the project. */
  readonly unknown: readonly string[];
}

/** These leave something out, whatever it is. */
const strong =
  'except(?:ing)?(?: for| from| in)?|exclud(?:e|es|ing)|apart from|aside from|other than|(?:but )?not (?:in|under|inside|including)|but not|leav(?:e|ing) out|(?<=(?:all|everything|anything|every \\w+) )but|minus|omit(?:ting)?|ignor(?:e|ing)|outside(?: of)?|but skip';
/** These leave out a file or folder; without one they may say something else: "without a database". */
const weak =
  "without|skip(?:ping)?|leav(?:e|ing)|not|(?:do not|don't|never) (?:touch|change|edit|format|scan|check|review|include|search|look (?:at|in|into)|go into)";
const start = new RegExp(
  `(?<=^|[\\s,;(])(?:(?:but|and|please)\\s+)?(?:(?<strong>${strong})|(?<weak>${weak}))\\s+`,
  'giu',
);
/** "how do I skip tests", "do not ignore data": no wish to leave something out. */
const asked =
  /\b(?:how (?:do|does|can|could|to|would)\b[^.,;]*|not|don't|never|to|that|which|it)\s*$/iu;
const filler =
  /^(?:the|my|our|any|all|every|anything|everything|whatever|stuff|code|those|files?|is|in|inside|under|from|of|at|for|folder|directory|path)\b\s*/iu;
const item = /^(?:"[^"]+"|'[^']+'|`[^`]+`|[^\s,;!?)]*[^\s,;!?).])/u;
const kindOfItem = /^\s+(?:folder|director(?:y|ies)|dir|files?|modules?|packages?|code)(?!\w)/iu;
const separator = /^(?:\s*,\s*(?:and |or |nor )?|\s+(?:and|or|nor)\s+)(?:(?:not )?(?:in )?)/iu;

interface Named {
  /** "file", "folder" behind the name. */
  readonly kind?: string;
  /** Whether a file may be meant without its ending. */
  readonly isStem?: boolean;
}

/** What findings are about is no file. */
const aspect =
  /^(?:the |any |all )?(?:styles?|formatting|warnings?|white ?space|comments?|case|naming|names?|typos?|nits|indentation|hints?|errors?|length)\b/iu;

type Find = (name: string, how?: Named) => readonly string[];

/** Reads "but not X", "except X", "skip X" …; undefined where nothing is left out. `files` are those of the project. */
export function readExclusions(message: string, files: readonly string[]): Exclusions | undefined {
  const patterns = new Set<string>();
  const unknown: string[] = [];
  const find = finderIn(files);
  const isQuoted = quotedIn(message);
  let said = message;
  for (const { 0: words, index, groups } of message.matchAll(start)) {
    if (isQuoted(index) || asked.test(message.slice(0, index))) continue;
    const from = index + words.length;
    const { found, length } = readItems(message.slice(from), find);
    const isFile = !aspect.test(message.slice(from));
    if (found.length === 0 && groups?.['strong'] !== undefined && isFile)
      unknown.push(/^[^,.;]*/u.exec(message.slice(from))?.[0].trim() ?? '');
    if (found.length === 0) continue;
    for (const pattern of found) patterns.add(pattern);
    const end =
      from +
      length +
      (/^\s+(?:out|aside|alone|as (?:it|they) (?:is|are))\b/iu.exec(
        message.slice(from + length),
      )?.[0].length ?? 0);
    said = said.slice(0, index) + ' '.repeat(end - index) + said.slice(end);
  }
  const rest = said
    .replaceAll(/\s+/gu, ' ')
    .replace(/^[\s,;]*(?:(?:and|but|then)\s+)?/iu, '')
    .replaceAll(/\s*,(?=\s*(?:$|,|and\b))/gu, '')
    .trim();
  if (patterns.size + unknown.length === 0 || !/\p{L}/u.test(rest)) return undefined;
  return {
    said: patterns.size === 0 ? message : rest,
    patterns: [...patterns],
    unknown,
  };
}

function quotedIn(message: string): (at: number) => boolean {
  const spans = [...message.matchAll(/"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)/gu)];
  return (at) => spans.some(({ index, 0: text }) => at > index && at < index + text.length);
}

/** As many names, one after the other, as there are in the project. */
function readItems(text: string, find: Find) {
  const found: string[] = [];
  let length = 0;
  for (let at = 0; at <= text.length;) {
    while (filler.test(text.slice(at)) && find(wordAt(text.slice(at))).length === 0)
      at += filler.exec(text.slice(at))?.[0].length ?? 1;
    const word = item.exec(text.slice(at))?.[0];
    if (word === undefined) break;
    const kind = kindOfItem.exec(text.slice(at + word.length))?.[0] ?? '';
    // "ignore the style" is not about style.css.
    const isStem = !/\bthe\s*$/iu.test(text.slice(0, at));
    const patterns = find(word, { kind, isStem });
    if (patterns.length === 0) break;
    found.push(...patterns);
    at += word.length + kind.length;
    length = at;
    const next = separator.exec(text.slice(at))?.[0];
    if (next === undefined) break;
    at += next.length;
  }
  return { found, length };
}

const wordAt = (text: string): string => item.exec(text)?.[0] ?? '';

const endings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    python: 'py',
    javascript: 'js',
    typescript: 'ts',
    markdown: 'md',
    yaml: 'yaml',
    rust: 'rs',
    text: 'txt',
    shell: 'sh',
  }),
);
const anEnding = /^(?:js|ts|tsx|jsx|py|go|rs|java|sql|html|css|md|json|yaml|yml|toml|txt|csv|sh)$/u;

/** Where tests are kept, and how their files are named. */
const testPatterns = [
  ['tests/', /(?:^|\/)tests\//u],
  ['test/', /(?:^|\/)test\//u],
  ['__tests__/', /(?:^|\/)__tests__\//u],
  ['spec/', /(?:^|\/)spec\//u],
  ['test_*', /(?:^|\/)test_[^/]*$/u],
  ['*_test.*', /_test\.\w+$/u],
  ['*.test.*', /\.test\.\w+$/u],
  ['*.spec.*', /\.spec\.\w+$/u],
] as const;

/** The patterns that a name stands for: a folder, a file with or without its ending, a glob, or a kind of files. */
function finderIn(files: readonly string[]): Find {
  const parts = new Map<string, string>();
  const stems = new Map<string, Set<string>>();
  for (const path of files) {
    const segments = path.split('/');
    for (const part of segments) parts.set(part.toLowerCase(), part);
    const name = segments.at(-1) ?? '';
    const stem = name.replace(/(?<=.)\.\w+$/u, '').toLowerCase();
    stems.set(stem, (stems.get(stem) ?? new Set()).add(name));
  }
  return (given, { kind = '', isStem = false } = {}) => {
    const name = given
      .replace(/^["'`@]|["'`]$/gu, '')
      .replace(/^\.\//u, '')
      .replace(/\/$/u, '');
    const plain = name.toLowerCase();
    const isFiles = /files?$/iu.test(kind);
    const ending = endings.get(plain) ?? plain.replace(/^\./u, '');
    if (/^(?:unit )?(?:tests?|specs?)$/u.test(plain)) return testsAmong(files);
    if (name.includes('*')) return [name];
    if (isFiles && anEnding.test(ending)) return [`*.${ending}`];
    if (name.includes('/')) {
      const isThere = files.some((path) => path === name || path.startsWith(`${name}/`));
      return isThere || files.some((path) => `/${path}`.includes(`/${name}`)) ? [name] : [];
    }
    const part = parts.get(plain);
    if (part !== undefined) return [part];
    return isStem ? [...(stems.get(plain) ?? [])] : [];
  };
}

function testsAmong(files: readonly string[]): readonly string[] {
  let left = files;
  return testPatterns.flatMap(([pattern, test]) => {
    const others = left.filter((path) => !test.test(path));
    const isUsed = others.length < left.length;
    left = others;
    return isUsed ? [pattern] : [];
  });
}
