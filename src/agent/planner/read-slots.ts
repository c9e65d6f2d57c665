import { lexicon } from './lexicon.ts';
import { isKnown, readPhrase, type Word } from './read-words.ts';

export type Slots = ReturnType<typeof readSlots>;

const withoutQuotes = (text: string): string => text.replace(/^(["'`“])(.*)["'`”]$/u, '$2');

const splitArgs = (text?: string): readonly string[] | undefined =>
  text?.match(/"[^"]*"|'[^']*'|\S+/gu)?.map(withoutQuotes);

/** Values for arguments that a clause names. */
export function readSlots(words: readonly Word[], prose: string) {
  // "Vitest instead of Jest" names Vitest.
  const meant = words.filter((_, at) => !words[at - 1]?.meaning.classes.has('negation'));
  const named = (table: keyof Word['meaning']['names']): readonly string[] => [
    ...new Set(meant.flatMap(({ meaning }) => meaning.names[table] ?? [])),
  ];
  const ofKind = (kind: Word['kind']): string | undefined =>
    words.find((word) => word.kind === kind)?.text;
  const said = prose.slice(words[0]?.from, words.at(-1)?.to);
  const found = lexicon.values.flatMap((pattern) => [...said.matchAll(pattern)]);
  const { either, name, message, author, since, lastCommit, setting, value, ...values } =
    Object.fromEntries(
      found
        .flatMap(({ groups }) => Object.entries(groups ?? {}))
        .filter(([, one]) => one !== undefined)
        .map(([role, one]) => [role, withoutQuotes(one)])
        .toReversed(),
    );
  const { startLine, endLine: lastLine = startLine } = values;
  const lineCount = lastLine && startLine && String(Number(lastLine) - Number(startLine) + 1);
  const paths = words.flatMap(({ path }) => (path && path.path !== '.' ? [path] : []));
  const count = lexicon.numbers.indexOf(values['limit'] ?? '');
  const commit = values['commit'] ?? (lastCommit && 'HEAD');
  /** Values by the role of the argument that takes them, or by the kind of word: email, channel, url. */
  const single: Readonly<Record<string, string | readonly string[] | undefined>> = {
    ...Object.fromEntries(words.toReversed().map(({ kind, text }) => [kind, text])),
    ...values,
    // "set DEBUG to false" names no text to replace.
    ...(setting !== undefined && { find: setting, replacement: value, setting: 'value' }),
    regex: either && 'true',
    text: values['content'] ?? values['addition'],
    wallMs: values['seconds'] && String(Number(values['seconds']) * 1000),
    glob: values['glob'] ?? named('globs')[0],
    testFramework: named('testFrameworks')[0],
    framework: named('frameworks')[0] ?? named('testFrameworks')[0],
    style: named('styleGuides')[0],
    since: named('times')[0] ?? since,
    focus: named('focusAreas'),
    args: splitArgs(values['args']),
    argv: splitArgs(values['argv']),
    paths: paths.map(({ path }) => path),
    model: values['model'] ?? paths.find(({ kind }) => kind === 'folder')?.path,
    startLine: startLine ?? (values['tail'] && `-${values['tail']}`),
    endLine: lastLine,
    limit: commit === 'HEAD' ? '1' : (lineCount ?? (count > 0 ? String(count) : values['limit'])),
    author: readPhrase(author ?? '').some(isKnown) ? undefined : author,
    commit: since === undefined ? commit : undefined,
  };
  return {
    single,
    language: named('languages')[0],
    quote: ofKind('quote'),
    symbol: either?.replaceAll(/,? (?:and|or|&) |, |\//gu, '|') ?? name ?? ofKind('symbol'),
    message,
    understood: found.map(([text]) => text).join(' '),
  };
}
