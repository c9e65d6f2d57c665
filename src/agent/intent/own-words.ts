import type { Conversation, Session, Turn } from '../../contract/session/index.ts';

const maxTurnChars = 4_000;

/**
 * A conversation without anything that came from files, tools or models' answers: what the user said,
 * what they were asked, and what was done, by name. Decisions about what may be called rest on this alone.
 */
export function ownWords(
  { preferences, summary, recalled, recent }: Conversation,
  session: Pick<Session, 'summary' | 'turns'>,
): string {
  const gist = ownGist(session);
  const said = (summary ?? '').split('\n').filter((line) => {
    const [, number, text = ''] = /^user \(turn (\d{1,9})\): (.*)$/.exec(line) ?? [];
    const turn = session.turns[Number(number) - 1];
    return isOwn(turn) && isSaidIn(text, turn);
  });
  const turns = new Map(
    [...recalled, ...recent]
      .map((turn) => wordsOnly(turn, session.turns[turn.number - 1]))
      .map((turn) => [turn.number, turn]),
  );
  const ordered = [...turns.values()].sort((one, other) => one.number - other.number);
  return [
    ...(preferences.length > 0 ? [`The user's preferences: ${preferences.join('; ')}`] : []),
    ...(gist === null ? [] : [`Before: ${gist}`]),
    ...said,
    ...ordered.map(turnInOwnWords),
  ].join('\n');
}

/** What the agent made of older turns, from words like these; null where others' words are in it. */
function ownGist({ summary, turns }: Pick<Session, 'summary' | 'turns'>): string | null {
  if (!summary) return null;
  const summed = turns.slice(0, summary.turn);
  return summed.some((turn) => turn.role === 'user' && !isOwn(turn)) ? null : summary.text;
}

/** A part of a turn may be a part of what was pasted into it, without the fence that shows it. */
function wordsOnly(turn: Turn, whole: Turn | undefined): Turn {
  if (turn.role !== 'user' || !whole || whole.text.startsWith(uncut(turn.text))) return turn;
  return isSaidIn(turn.text, whole) ? turn : { ...turn, text: '[pasted code]' };
}

function isSaidIn(text: string, whole: Turn): boolean {
  return withoutPastes(whole.text).includes(uncut(text));
}

/** Without the mark of what was cut off. */
function uncut(text: string): string {
  return text.replace(/…$/, '').trim();
}

/** One turn the same way; summaries are made of these. */
export function turnInOwnWords(turn: Turn): string {
  if (turn.role === 'user') {
    return isOwn(turn)
      ? `User: ${withoutPastes(turn.text).slice(0, maxTurnChars)}`
      : 'User: said something elsewhere';
  }
  const tools = (turn.plan?.steps ?? []).map(({ tool }) => tool ?? '').join(' → ');
  const kept = turn.remembered.map(({ kind, language }) => {
    const plain = plainLanguage(language);
    return plain.language === undefined ? kind : `${kind} (${plain.language})`;
  });
  const parts = [
    ...(turn.questions ?? []).map((question) =>
      turn.isTainted === true ? 'asked something' : `asked: ${question}`,
    ),
    ...(tools === '' ? [] : [`${turn.outcome === 'plan' ? 'proposed' : 'ran'} ${tools}`]),
    ...(turn.outcome === 'failed' ? ['it failed'] : []),
    ...(turn.outcome === 'cancelled' ? ['it was cancelled'] : []),
    ...(kept.length > 0 ? [`made: ${kept.join(', ')}`] : []),
  ];
  return `Assistant: ${parts.length > 0 ? parts.join('; ') : 'answered'}`;
}

/** Whether the user said this, here. */
export function isOwn(turn: Turn | undefined): turn is Turn {
  return turn?.role === 'user' && turn.isTainted !== true;
}

/** Pasted code is data, like a file. */
export function withoutPastes(text: string): string {
  return splitPastes(text).words;
}

interface Paste {
  readonly content: string;
  readonly language?: string;
}

/** A message as words and the blocks of code (between lines of three backticks) pasted into it. */
export function splitPastes(text: string): {
  readonly words: string;
  readonly pastes: readonly Paste[];
} {
  const words: string[] = [];
  const pastes: Paste[] = [];
  let open:
    | { readonly fence: string; readonly language: string; readonly lines: string[] }
    | undefined;
  const close = (): void => {
    if (!open) return;
    const { language, lines } = open;
    pastes.push({ content: `${lines.join('\n')}\n`, ...(language !== '' && { language }) });
    words.push(`[pasted code ${pastes.length}]`);
    open = undefined;
  };
  for (const line of text.split('\n')) {
    if (open) {
      if (closes(line, open.fence)) close();
      else open.lines.push(line);
      continue;
    }
    const opening = readOpening(line);
    if (!opening) words.push(line);
    else {
      if (opening.before !== '') words.push(opening.before);
      open = { fence: opening.fence, language: opening.language, lines: [] };
    }
  }
  close();
  return { words: words.join('\n').trim(), pastes };
}

interface Opening {
  readonly fence: string;
  readonly language: string;
  /** The words in front of it. */
  readonly before: string;
}

/** Backticks may stand behind words, and more than a language behind them; a pair in one line is no block. */
function readOpening(line: string): Opening | undefined {
  const tildes = /^\s*~{3,}/.exec(line);
  const ticks = [...line.matchAll(/`{3,}/g)];
  const found = tildes ?? (ticks.length % 2 === 1 ? ticks.at(-1) : undefined);
  if (!found) return undefined;
  const [fence] = found;
  const about = line.slice(found.index + fence.length).trim();
  const language = /^[\w+#.-]{0,30}(?=\s|$)/.exec(about)?.[0] ?? '';
  return {
    fence: fence.trim(),
    language: language.toLowerCase(),
    before: line.slice(0, found.index).trimEnd(),
  };
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.startsWith(fence) && text.replaceAll(fence.charAt(0), '') === '';
}

/** A language by its name. Tools and clients choose it, so anything else in its place is left out. */
export function plainLanguage(language: string | undefined): { readonly language?: string } {
  return language !== undefined && /^[\w+#.-]{1,30}$/.test(language) ? { language } : {};
}
