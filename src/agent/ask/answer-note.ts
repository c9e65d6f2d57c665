import { itemOfTurn } from '../../contract/memory/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import { AppError, sayDay, stemOf } from '../../kernel/index.ts';
import type { KeptNote, NewNote, NoteFilter } from './notes.ts';
import type { Note } from './read-note.ts';
import { base, plainReply, tell, type Reply, type Turn } from './turn.ts';

const current = (): NoteFilter => ({
  kinds: ['fact', 'decision'],
  validAt: new Date().toISOString(),
});
const maxListed = 20;
const maxSearched = 5;
/** Notes that may no longer hold, of which the user is asked. */
const maxUnclear = 3;

/** Answers what is asked of the memory, without a plan or a model; undefined where it is about something else. */
export async function answerNote(turn: Turn, note: Note): Promise<Reply | undefined> {
  const answer = await textFor(turn, note);
  if (answer === undefined) return undefined;
  tell(turn, answer);
  const known = base(turn, { confidence: 1, model: null });
  const reply = plainReply({ ...known, kind: 'answer', answer });
  // It quotes what is gone, which the conversation must not keep.
  return answer.startsWith(forgotten) ? { ...reply, keptText: 'Forgotten.' } : reply;
}

const forgotten = 'Forgotten: ';

function textFor(turn: Turn, note: Note): Promise<string | undefined> | string | undefined {
  switch (note.kind) {
    case 'remember':
      return remember(turn, note);
    case 'correct':
      return correct(turn, note.text);
    case 'source':
      return explainSource(turn);
    case 'forget':
      return forget(turn, note.text);
    case 'recall':
      return note.about === undefined ? recallAll(turn) : recallAbout(turn, note.about);
    case 'why':
      return explain(turn, note.text);
  }
}

async function remember(
  turn: Turn,
  given: Extract<Note, { kind: 'remember' }>,
): Promise<string | undefined> {
  const { notes } = turn.parts;
  const { text, isEverywhere = false, isCorrection = false } = given;
  if (!notes) return undefined;
  return refusingSecrets(turn, text, async () => {
    const { caller } = turn.request;
    const known = await notes.compare(caller, text, { isCorrection, isEverywhere });
    const note = noteOf(turn, given);
    if (known.replaces) await notes.correct(caller, known.replaces.id, note);
    else await notes.remember(caller, note);
    const told = `Remembered: "${text}".`;
    if (known.replaces) return `${told} That replaces: "${known.replaces.text}"`;
    if (known.unclear.length === 0) return `${told} Say "forget that …" to remove it.`;
    const others = known.unclear.slice(0, maxUnclear).map((one) => `- forget that ${one.text}`);
    return [`${told} Does this still hold, too? If not, say:`, ...others].join('\n');
  });
}

/** A correction of what was not told to be remembered is none of the memory's. */
async function correct(turn: Turn, text: string): Promise<string | undefined> {
  const { notes } = turn.parts;
  if (!notes) return undefined;
  const { caller } = turn.request;
  const options = { isCorrection: true, isEverywhere: false };
  const known = await notes.compare(caller, text, options).catch((error: unknown) => {
    // What cannot be remembered corrects nothing that is.
    if (error instanceof AppError) return undefined;
    throw error;
  });
  const replaces = known?.replaces;
  if (!replaces) return undefined;
  return refusingSecrets(turn, text, async () => {
    await notes.correct(caller, replaces.id, noteOf(turn, { text, of: 'fact' }));
    return `Corrected: "${text}". That replaces: "${replaces.text}"`;
  });
}

function noteOf(
  { session, before }: Turn,
  {
    text,
    of: kind,
    isEverywhere,
  }: Pick<Extract<Note, { kind: 'remember' }>, 'text' | 'of' | 'isEverywhere'>,
): NewNote {
  const turn = before.turns.length + 1;
  const source = { kind: 'turn', session: session.id, turn, role: 'user' } as const;
  return { text, kind, source, isVouchedFor: true, ...(isEverywhere && { isEverywhere }) };
}

async function refusingSecrets<Result>(
  { parts }: Turn,
  text: string,
  store: () => Promise<Result>,
): Promise<Result | string> {
  const hide = await parts.hideSecrets?.();
  if (hide && hide(text).count > 0) return refusedSecret;
  try {
    return await store();
  } catch (error) {
    if (error instanceof AppError && error.details['isSecret'] === true) return refusedSecret;
    throw error;
  }
}

/** The receipts of what the last answer says; undefined where nothing that is remembered is in it. */
async function explainSource({
  parts,
  request,
  options,
  before,
}: Turn): Promise<string | undefined> {
  const [question, answer] = before.turns.slice(-2);
  if (!parts.notes || answer?.role !== 'assistant') return undefined;
  const said = new Set(wordsOf(answer.text));
  const { caller } = request;
  const ask = async (text: string) =>
    parts.notes?.search({
      caller,
      text,
      filter: current(),
      limit: maxSearched,
      signal: options.signal,
    });
  // The answer has the words of the notes, and what was asked tells which of several count.
  const found = [await ask(answer.text), await ask(question?.text ?? '')].flatMap(
    (one) => one?.hits ?? [],
  );
  const behind = new Map(
    found
      .filter(({ item }) => isSaidIn(item.text, answer.text, said))
      .map(({ item, receipt }) => [item.id, `"${item.text}": ${receipt.because} (${item.id})`]),
  );
  return behind.size === 0 ? undefined : [...behind.values()].join('\n');
}

/** Answers of a model say a note in other words, but with most of its own. */
function isSaidIn(text: string, answer: string, said: ReadonlySet<string>): boolean {
  if (answer.toLowerCase().includes(text.toLowerCase())) return true;
  const words = wordsOf(text);
  const shared = words.filter((word) => said.has(word)).length;
  return (
    words.length > 0 &&
    shared >= Math.min(minShared, words.length) &&
    shared >= words.length * minShare
  );
}

const refusedSecret =
  'Not stored: that looks like a secret. Secrets belong into the settings of the server that needs them ("tutti servers add --help").';

async function forget(turn: Turn, text: string): Promise<string> {
  const { parts, request } = turn;
  const preferences = await forgetPreference(turn, text);
  if (preferences.length > 0) return `${forgotten}${preferences.join(', ')}`;
  const found = await searchNotes(turn, text);
  const [only, ...others] = found;
  if (!only) return nothingAbout(text);
  if (others.length > 0) {
    const lines = found.map((one) => `- forget that ${one.text}`);
    return ['Which one? Say one of:', ...lines].join('\n');
  }
  await parts.notes?.forget(request.caller, [only.id, ...messageAbout(turn, only)]);
  return `${forgotten}"${only.text}"`;
}

/** The message that asks to forget, where it has words of what it is about: it goes, too. */
function messageAbout({ session }: Turn, { text }: KeptNote): readonly string[] {
  const message = session.current().turns.at(-1);
  if (message?.role !== 'user') return [];
  const said = wordsOf(message.text);
  const isAbout = wordsOf(text).some((word) => said.some((other) => isSameWord(word, other)));
  return isAbout ? [itemOfTurn(session.id, message)?.id ?? []].flat() : [];
}

async function forgetPreference(
  { parts, request }: Turn,
  text: string,
): Promise<readonly string[]> {
  try {
    return await parts.memory.forget(request.caller, text);
  } catch (error) {
    if (error instanceof AppError && error.code === 'memory.unknown_preference') return [];
    throw error;
  }
}

/** Notes that hold every word of what is meant; the one that says just that, where there is one. */
async function searchNotes(
  { parts, request, options }: Turn,
  text: string,
): Promise<readonly KeptNote[]> {
  if (!parts.notes) return [];
  const { caller } = request;
  const query = { caller, text, filter: current(), limit: maxSearched, signal: options.signal };
  const { hits } = await parts.notes.search(query);
  const words = wordsOf(text);
  const fitting = hits
    .map(({ item }) => item)
    .filter((item) => {
      const said = wordsOf(item.text);
      return words.every((word) => said.some((other) => isSameWord(word, other)));
    });
  const same = fitting.filter((item) => item.text.toLowerCase() === text.toLowerCase());
  return same.length === 1 ? same : fitting;
}

const maxWords = 60;
const empty = new Set(
  'a about an and are at for i in is it me my of on or our that the this to us was we were you your'.split(
    ' ',
  ),
);

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !empty.has(word)).slice(0, maxWords);
}

async function recallAll({ parts, request, preferences }: Turn): Promise<string> {
  const notes = (await parts.notes?.list(request.caller, current(), { limit: maxListed })) ?? [];
  const held = preferences.filter(({ state }) => state === 'active').slice(0, maxListed);
  if (held.length + notes.length === 0) {
    return 'Nothing yet. Say "remember that …" or "I prefer …", and it is kept on this machine.';
  }
  const now = Date.now();
  const here = await parts.project?.();
  return [
    ...(held.length > 0
      ? ['Your preferences:', ...held.map((one) => `- ${saying(one, now)}`)]
      : []),
    ...(notes.length > 0
      ? [
          'What you told me:',
          ...notes.map(
            (one) => `- ${one.text} (${sayDay(one.observedAt, now)}${placeOf(one, here)})`,
          ),
        ]
      : []),
    'Say "forget that …" to remove something. "tutti preferences" and "tutti sessions" show more.',
  ].join('\n');
}

/** Then only the memory and the conversation can know it. */
const agreed = /\bwhat (?:did|have|had) (?:we|i)\b/i;

const nothingAbout = (text: string): string =>
  `Nothing is remembered about "${text}". "What do you know about me?" lists what is.`;

/** What was told about something; with nothing to tell, another way to answer may be better. */
async function recallAbout(turn: Turn, about: string): Promise<string | undefined> {
  const found = await searchNotes(turn, about);
  if (found.length === 0) {
    const isOurs = agreed.test(turn.words) && turn.before.turns.length === 0;
    return isOurs ? nothingAbout(about) : undefined;
  }
  return tellNotes(turn, found);
}

/** What was told in this project or for all; with nothing of that what was told in others, which are named. */
async function tellNotes({ parts }: Turn, notes: readonly KeptNote[]): Promise<string> {
  const here = await parts.project?.();
  const own = notes.filter((one) => placeOf(one, here) === '');
  const now = Date.now();
  return (own.length > 0 ? own : notes)
    .slice(0, maxSearched)
    .map((one) => `You told me ${sayDay(one.observedAt, now)}${placeOf(one, here)}: ${one.text}`)
    .join('\n');
}

function placeOf({ source: { folder } }: KeptNote, here: string | undefined): string {
  return folder === undefined || folder === here ? '' : `, in ${folder}`;
}

const asks = /\?\s*$|^(?:what|which|who|whom|whose|where|when|how (?:many|much|long|old))\b/iu;
/** Then it is about the project, not about what was told. */
const namesFile = /[/@`]|\w\.\w/u;
const interrogatives = new Set(
  'what which who whom whose where when how many much long old do does did has have had can should will would'.split(
    ' ',
  ),
);
/** Notes that are looked through. */
const maxLookedThrough = 200;
/** A question of one word that counts, such as "when do we deploy?", is about what was told only where it is about us. */
const aboutUs = /\b(?:i|my|we|our|us)\b/iu;
const minShared = 2;
const minShare = 0.6;

/** Answers a question by what the user asked to be remembered; undefined where no note has most of its words. */
export async function answerFromNotes(turn: Turn): Promise<Reply | undefined> {
  const { parts, request, words, attachments } = turn;
  if (!parts.notes || attachments.length > 0 || !asks.test(words) || namesFile.test(words))
    return undefined;
  const asked = wordsOf(words).filter((word) => !interrogatives.has(word));
  const enough = aboutUs.test(words) ? Math.min(minShared, asked.length) : minShared;
  if (asked.length === 0 || asked.length < enough) return undefined;
  const notes = await parts.notes.list(request.caller, current(), { limit: maxLookedThrough });
  const fitting = notes.filter(({ text }) => {
    const said = wordsOf(text);
    const shared = asked.filter((word) => said.some((other) => isSameWord(word, other))).length;
    return shared >= enough && shared >= asked.length * minShare;
  });
  if (fitting.length === 0) return undefined;
  const answer = await tellNotes(turn, fitting);
  tell(turn, answer);
  return plainReply({ ...base(turn, { confidence: 1, model: null }), kind: 'answer', answer });
}

const minStem = 4;

/** `port` and `ports`, `deploy` and `deployed`. */
function isSameWord(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other].sort((a, b) => a.length - b.length);
  return (
    one === other ||
    (short.length >= minStem && (long.startsWith(short) || stemOf(short) === stemOf(long)))
  );
}

function explain({ preferences }: Turn, text: string): string | undefined {
  const words = wordsOf(text).filter((word) => word !== 'always');
  const meant = preferences.filter(
    (one) => words.length > 0 && words.every((word) => wordsOf(one.text).includes(word)),
  );
  const now = Date.now();
  return meant.length === 0
    ? undefined
    : meant.map((one) => `Because ${reason(one, now)}.`).join('\n');
}

function saying(one: Preference, nowMs: number): string {
  return `${one.text}: ${reason(one, nowMs)}`;
}

function reason({ origin, evidence, learnedAt, state }: Preference, nowMs: number): string {
  const day = sayDay(learnedAt, nowMs);
  const why = origin === 'edit' ? `${evidence} (${day})` : `you said "${evidence}" ${day}`;
  return state === 'suggested' ? `${why}; it is only suggested` : why;
}
