import { lexicon } from './lexicon.ts';
import { isCue } from './read-slots.ts';
import { has, isSignificant, readWords, type Word } from './read-words.ts';

/** Lines that are rarely anything but code. */
const starts = lexicon.codeLines.map((line) => new RegExp(line, 'u'));
/** Lines that go on with code above them. */
const goesOn =
  /^(?:\s+\S|[}\])]|else\b|elif\b|except\b|finally\b|catch\b|\/\/|\/\*|\*|#|--|$)|[{};]\s*$|\)\s*:\s*$/u;

/** Takes unfenced code out of a message, and leaves the prose: whole lines, or what follows a colon. */
export function splitCode(message: string): { readonly prose: string; readonly code?: string } {
  const lines = message.split('\n');
  const first = lines.findIndex((line) => isCode(line) || codeAfterColon(line) !== undefined);
  if (first < 0) return { prose: message };
  const opening = lines[first] ?? '';
  const inline = isCode(opening) ? undefined : codeAfterColon(opening);
  let last = first;
  for (let at = first + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (!isCode(line) && !goesOn.test(line)) break;
    if (line.trim() !== '') last = at;
  }
  const code = [inline ?? opening, ...lines.slice(first + 1, last + 1)].join('\n').trim();
  const before = inline === undefined ? [] : [opening.slice(0, opening.length - inline.length)];
  const prose = [...lines.slice(0, first), ...before, ...lines.slice(last + 1)].join('\n').trim();
  return { prose, code };
}

/** "write a file notes.txt: …": the text that a file is to hold, where nothing but the file is spoken of before it. */
export function splitContent(prose: string): { readonly prose: string; readonly text?: string } {
  const [all = '', head = '', text = ''] = /^([^\n]{1,300}?):\s+(\S[\s\S]*)$/u.exec(prose) ?? [];
  const words = readWords(head);
  return all !== '' && asksToWrite(words) ? { prose: head, text } : { prose };
}

/** "create notes.txt", "save this in a.md with the content": nothing but a file to write is spoken of. */
export function asksToWrite(words: readonly Word[]): boolean {
  const said = words.filter((word) => isSignificant(word) && !has(word, 'pronouns', 'light'));
  const isPath = ({ kind, path }: Word): boolean => kind === 'path' || path?.kind === 'file';
  const namesFile = said.some(({ meaning }) => meaning.nouns.includes('file'));
  // "add to notes.txt" keeps what is there; "add a file notes.txt" is a new one.
  const isWrite = ({ plain, meaning: { verbs } }: Word): boolean =>
    verbs.includes('save') || (verbs.includes('create') && (plain !== 'add' || namesFile));
  const isAbout = (word: Word): boolean =>
    isCue(word, 'content') || word.meaning.nouns.includes('file') || has(word, 'given');
  return (
    said.filter(isPath).length === 1 &&
    said.some(isWrite) &&
    said.every((word) => isPath(word) || isWrite(word) || isAbout(word))
  );
}

function isCode(line: string): boolean {
  return starts.some((pattern) => pattern.test(line));
}

function codeAfterColon(line: string): string | undefined {
  for (let at = line.indexOf(': '); at >= 0; at = line.indexOf(': ', at + 1)) {
    const rest = line.slice(at + 2).trimStart();
    if (isCode(rest)) return rest;
  }
  return undefined;
}
