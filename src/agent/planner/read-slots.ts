import { lexicon } from './lexicon.ts';
import { isKnown, readPhrase, type Word } from './read-words.ts';

export type Slots = ReturnType<typeof readSlots>;

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
  const { name, message, author, since, lastCommit, ...values } = Object.fromEntries(
    found
      .flatMap(({ groups }) => Object.entries(groups ?? {}))
      .filter(([, value]) => value !== undefined)
      .map(([role, value]) => [role, value.replace(/^(["'`“])(.*)["'`”]$/u, '$2')])
      .toReversed(),
  );
  const isPerson = author !== undefined && !readPhrase(author).some(isKnown);
  const commit = values['commit'] ?? (lastCommit && 'HEAD');
  /** Values by the role of the argument that takes them, or by the kind of word: email, channel, url. */
  const single: Readonly<Record<string, string | readonly string[] | undefined>> = {
    ...Object.fromEntries(words.toReversed().map(({ kind, text }) => [kind, text])),
    ...values,
    text: values['content'] ?? values['addition'],
    glob: values['glob'] ?? named('globs')[0],
    testFramework: named('testFrameworks')[0],
    framework: named('frameworks')[0] ?? named('testFrameworks')[0],
    style: named('styleGuides')[0],
    since: named('times')[0] ?? since,
    focus: named('focusAreas'),
    endLine: values['endLine'] ?? values['startLine'],
    limit: commit === 'HEAD' ? '1' : values['limit'],
    author: isPerson ? author : undefined,
    commit: since === undefined ? commit : undefined,
  };
  const understood = found.map(([text]) => text).join(' ');
  const symbol = name ?? ofKind('symbol');
  return {
    single,
    language: named('languages')[0],
    quote: ofKind('quote'),
    symbol,
    message,
    understood,
  };
}
