import { fileEndings } from './lexicon/slot-words.ts';
import { phrasesOf, type Lexicon, type SlotName, type Tag } from './lexicon.ts';
import { plainForm } from './text-forms.ts';

/** A word or phrase of a message, with what it may mean. */
export interface Term {
  readonly text: string;
  /** As the lexicon spells it. */
  readonly word: string;
  readonly kind:
    | 'word'
    | 'mark'
    | 'path'
    | 'email'
    | 'channel'
    | 'url'
    | 'quote'
    | 'number'
    | 'break';
  readonly tags: ReadonlySet<Tag>;
  readonly slots: Readonly<Partial<Record<SlotName, string>>>;
  /** Where it stands in the message. */
  readonly start: number;
  readonly end: number;
}

const maxTerms = 600;
const piece =
  /(?<url>https?:\/\/[^\s)]+)|(?<email>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+)|(?<channel>#[\p{L}\p{N}_][\p{L}\p{N}_-]*)|(?<quote>"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|`[^`\n]{1,300}`)|(?<path>(?:~\/|\.{1,2}\/|\/)?(?:[\p{L}\p{N}_@.-]+\/)+[\p{L}\p{N}_@.*-]*)|(?<number>\d+(?:[.,]\d+)*\s?%?)|(?<word>[\p{L}\p{N}_]+(?:[-'’.:+#/][\p{L}\p{N}_]+)*[+#]*)|(?<break>\n+)|(?<mark>->|=>|→|[^\s\p{L}\p{N}])/gu;

const endings = {
  code: new Set(phrasesOf(fileEndings.code ?? '')),
  text: new Set(phrasesOf(fileEndings.text ?? '')),
};
const usualFolders = new Set([
  'src',
  'lib',
  'app',
  'apps',
  'docs',
  'doc',
  'test',
  'tests',
  'config',
  'scripts',
  'out',
  'build',
  'dist',
  'bin',
  'pkg',
  'cmd',
  'internal',
  'packages',
  'server',
  'client',
  'api',
  'utils',
  'tools',
  'examples',
  'spec',
  'specs',
  'web',
  'core',
  'modules',
  'components',
  'services',
  'models',
]);

/** What a file holds, by how its name ends; undefined when it is no file's name. */
export function contentOfPath(path: string): 'code' | 'text' | undefined {
  const ending = /\.([A-Za-z0-9]{1,7})$/u.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  if (endings.code.has(ending)) return 'code';
  return endings.text.has(ending) ? 'text' : undefined;
}

/** Reads a message as terms, longest phrases first. */
export function readTerms(message: string, lexicon: Lexicon): readonly Term[] {
  const pieces = [...message.matchAll(piece)].slice(0, maxTerms).map((match) => rawTerm(match));
  const terms: Term[] = [];
  for (let at = 0; at < pieces.length;) {
    const first = pieces[at];
    if (!first) break;
    if (first.kind !== 'word' && first.word !== '/') {
      terms.push(first);
      at += 1;
      continue;
    }
    const words = wordsFrom(pieces, at);
    const match =
      words.length > 0 ? lexicon.match(words) : { words: 1, tags: new Set<Tag>(), slots: {} };
    const last = pieces[at + match.words - 1] ?? first;
    terms.push({
      ...first,
      text: message.slice(first.start, last.end),
      word: words.slice(0, match.words).join(' ') || first.word,
      tags: match.tags,
      slots: match.slots,
      end: last.end,
    });
    at += match.words;
  }
  return terms;
}

const maxAhead = 5;

function wordsFrom(pieces: readonly Term[], at: number): readonly string[] {
  const words: string[] = [];
  for (const { kind, word } of pieces.slice(at, at + maxAhead)) {
    if (kind !== 'word' && !(words.length > 0 && kind === 'number' && /^\d+$/u.test(word))) break;
    words.push(word);
  }
  return words;
}

function rawTerm(match: RegExpExecArray): Term {
  const [text] = match;
  const group = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0];
  return {
    text,
    // Without its accent it would be an article.
    word: /^[àÀ]$/u.test(text) ? 'au' : plainForm(text),
    kind: kindOf(text, group ?? 'mark'),
    tags: new Set(),
    slots: {},
    start: match.index,
    end: match.index + text.length,
  };
}

function kindOf(text: string, group: string): Term['kind'] {
  if (group === 'word') {
    return /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.\w{1,7}$/u.test(text) &&
      contentOfPath(text) !== undefined &&
      !/^(?:node|next|vue|express|nest|react|nuxt|d3|three|chart|p5|alpine|ember|backbone|discord|socket)\.js$/iu.test(
        text,
      )
      ? 'path'
      : 'word';
  }
  if (group === 'path') return isPath(text) ? 'path' : 'word';
  // The names of the groups are the kinds of terms.
  return group as Term['kind'];
}

/** `async/await` is none, `src/cart.ts` and `out/` are. */
function isPath(text: string): boolean {
  if (/^w\/$/iu.test(text)) return false;
  if (contentOfPath(text) !== undefined || /^(?:~\/|\.{1,2}\/)/u.test(text)) return true;
  if (text.startsWith('/')) return false;
  return text.endsWith('/') || usualFolders.has(text.split('/')[0] ?? '');
}
