import type { AskOutcome } from '../../../../contract/agent/index.ts';
import { localCaller } from '../../../../contract/caller/index.ts';
import type { Memory, Remembered, Session } from '../../../../contract/session/index.ts';
import type { Io } from '../../../io.ts';
import { printableLines, type Output, type Paint } from '../../../output.ts';

export interface ShownChanges {
  readonly memory: Memory;
  readonly io: Io;
  readonly output: Output;
}

const maxDiffLines = 200;
/** A comparison that takes longer than this is of texts that have little in common. */
const maxEdits = 2_000;
const contextLines = 3;

/** At a terminal, what an answer changed in code the conversation knew already, as a diff. */
export async function showChanges(
  outcome: AskOutcome,
  { memory, io, output }: ShownChanges,
): Promise<void> {
  if (io.stdout.isTTY !== true || output.isJson) return;
  const changes = findChanges(await memory.sessions.show(localCaller, outcome.sessionId));
  if (changes.length === 0) return;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  for (const { before, after } of changes) {
    const patch = createTwoFilesPatch(
      before.title,
      after.title,
      before.content,
      after.content,
      undefined,
      undefined,
      { context: contextLines, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY },
    );
    if (patch !== undefined) io.stdout.write(paintPatch(patch, output.paint));
  }
}

interface Change {
  readonly before: Code;
  readonly after: Code;
}

type Code = Remembered & { readonly content: string };

/** Code of the last turn beside the code it seems to be made of. */
function findChanges({ turns }: Session): readonly Change[] {
  const last = turns.at(-1);
  if (!last || last.role !== 'assistant') return [];
  const earlier = turns.slice(0, -1).flatMap(({ remembered }) => remembered.filter(isCode));
  return last.remembered.filter(isCode).flatMap((after) => {
    const before = earlier.findLast((code) => isEarlierForm(code, after));
    return before && before.content !== after.content ? [{ before, after }] : [];
  });
}

function isCode(remembered: Remembered): remembered is Code {
  const isOfCode = ['code', 'tests', 'file'].includes(remembered.kind);
  return isOfCode && remembered.content !== undefined;
}

/** Whether the one was made of the other: of one language, and most of the words are the same. */
function isEarlierForm(before: Code, after: Code): boolean {
  const isTests = after.kind === 'tests';
  if ((before.kind === 'tests') !== isTests) return false;
  const languages = new Set([before.language, after.language].filter(Boolean));
  return languages.size <= 1 && similarity(before.content, after.content) >= minSimilarity;
}

const minSimilarity = 0.6;

/** How many of the words of the longer text the other has, too: from 0 to 1. */
function similarity(one: string, other: string): number {
  const words = (text: string): string[] => text.match(/\w+/g) ?? [];
  const [first, second] = [words(one), words(other)];
  const counts = new Map<string, number>();
  for (const word of first) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of second) {
    const left = counts.get(word) ?? 0;
    if (left > 0) common += 1;
    counts.set(word, left - 1);
  }
  return common / Math.max(first.length, second.length, 1);
}

function paintPatch(patch: string, paint: Paint): string {
  const lines = printableLines(patch).trimEnd().split('\n');
  const shown = lines.slice(0, maxDiffLines).map((line) => paintLine(line, paint));
  const rest = lines.length - shown.length;
  return `${[...shown, ...(rest > 0 ? [paint.dim(`… ${rest} more lines`)] : [])].join('\n')}\n`;
}

function paintLine(line: string, paint: Paint): string {
  if (/^(?:\+\+\+|---|@@)/.test(line)) return paint.bold(line);
  if (line.startsWith('+')) return paint.green(line);
  return line.startsWith('-') ? paint.red(line) : line;
}
