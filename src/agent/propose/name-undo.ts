import type { PlanCandidate } from '../../contract/agent/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { PlanningAnswer } from '../planner/index.ts';

/** A change of the project's files that can be undone. */
export interface ChangeMade {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** What it did, in a few words. */
  readonly what: string;
  readonly files: readonly { readonly path: string; readonly action: string }[];
  /** The user's words that led to it, where the conversation knows them. */
  readonly said?: string;
}

export type ListChanges = () => Promise<readonly ChangeMade[]>;

const undoTool = 'workspace.undo_changes';
const maxOffered = 3;
const maxListed = 10;

/** Kinds of changes: as people name them, and as a change says what it did. */
const kinds: readonly { readonly named: RegExp; readonly did?: RegExp }[] = [
  {
    named: /\b(?:renam(?:e|es|ed|ing)|replac(?:e|es|ed|ing|ements?)|substitut(?:ions?|ed|ing))\b/iu,
    did: /^replace\b/u,
  },
  { named: /\b(?:sets?|setting)\b/iu, did: /^set\b/u },
  { named: /\b(?:delet(?:e|es|ed|ing|ions?)|remov(?:e|ed|ing|als?))\b/iu, did: /\bdelete\b/u },
  { named: /\bappend(?:s|ed|ing)?\b/iu, did: /^append\b/u },
  { named: /\badd(?:s|ed|ing|itions?)?\b/iu, did: /^append\b|\bcreate\b/u },
  { named: /\b(?:creat(?:e|es|ed|ing|ions?)|new files?)\b/iu, did: /\bcreate\b/u },
  { named: /\b(?:re)?format(?:s|ted|ting)?\b/iu },
  { named: /\brefactor(?:s|ed|ing|ings)?\b/iu },
];
const undoVerb =
  /\b(?:undo(?:ne|ing)?|revert(?:ing)?|roll(?:ing)? ?back|rollback|take back|taking back|put back|bring back|restore|reset)\b/iu;
const brings = /\b(?:restore|bring\b[^.]*\bback|put\b[^.]*\bback)\b/iu;
const latest = /\b(?:last|latest|most recent|newest)\b/iu;
const earliest = /\b(?:first|earliest|oldest)\b/iu;

/** Only undoes, and says nothing of Git, whose commits are not undone here. */
const isUndo = (message: string): boolean =>
  /^(?:(?:please|pls|can you|could you|now|and|then|ok|okay|no)[, ]+)*(?:undo|revert|roll ?back|take back|put back|bring back|restore)\b/iu.test(
    message.trim(),
  ) && !/\b(?:git|commits?|committed|branch|merge|\w+ version)\b/iu.test(message);

const plainUndo = 'undo that';

interface UndoRequest {
  readonly message: string;
  readonly plan: (message: string) => Promise<PlanningAnswer>;
  readonly list: ListChanges;
}

/**
 * Plans a message; what undoes "the rename" or "the change of a.py" gets the change that the words name. With none
 * named it stays the last.
 */
export async function planUndo({ message, plan, list }: UndoRequest): Promise<PlanningAnswer> {
  const words = clauseOf(message);
  if (!undoVerb.test(words) || !namesSomething(words)) return plan(message);
  const changes = await list();
  const fitting = findChanges(words, changes);
  const isWhole = isUndo(message) && words === message && fitting.length > 0;
  const planned = await plan(isWhole ? plainUndo : message);
  if (!('candidates' in planned)) return planned;
  const [meant] = planned.candidates;
  if (!meant || !undoStep(meant.plan)) return planned;
  const [only, ...others] = fitting;
  if (!only) return { kind: 'refusal', isFinal: true, reason: noneFits(changes) };
  const candidates = fitting
    .slice(0, maxOffered)
    .map((change) => withChange(meant, { change, goal: message }));
  if (others.length === 0) return { kind: 'plan', candidates };
  const lines = fitting
    .slice(0, maxOffered)
    .map((change, at) => `${at + 1}. ${describeMade(change)}`);
  const left = fitting.length - lines.length;
  const more = left > 0 ? [`${left} older ones fit, too: name the file.`] : [];
  const question = ['Which change should be undone?', ...lines, ...more, 'Answer with a number.'];
  return { kind: 'question', questions: [question.join('\n')], candidates };
}

function undoStep({ steps }: Plan) {
  return steps.find(({ tool, args = {} }) => tool === undoTool && !('change_id' in args));
}

function withChange(
  { plan, ...candidate }: PlanCandidate,
  { change, goal }: { readonly change: ChangeMade; readonly goal: string },
): PlanCandidate {
  const undo = undoStep(plan);
  const steps = plan.steps.map((step) =>
    step === undo ? { ...step, args: { ...step.args, change_id: change.id } } : step,
  );
  return { ...candidate, why: `Undo: ${describeMade(change)}.`, plan: { ...plan, goal, steps } };
}

function describeMade({ at, what, files }: ChangeMade): string {
  const paths = files.slice(0, maxOffered).map(({ path }) => path);
  const more = files.length > paths.length ? `, … ${files.length - paths.length} more` : '';
  const where = paths.every((path) => what.includes(path)) ? '' : ` in ${paths.join(', ')}${more}`;
  return `${what}${where} (${at.slice(0, 16).replace('T', ' ')} UTC)`;
}

function noneFits(changes: readonly ChangeMade[]): string {
  if (changes.length === 0) return 'There is no change of this project that can be undone.';
  const lines = changes.slice(0, maxListed).map((change) => `- ${describeMade(change)}`);
  const left = changes.length - lines.length;
  const more = left > 0 ? [`… ${left} more`] : [];
  return ['No change that can be undone fits that. These can:', ...lines, ...more].join('\n');
}

/** The part of a message that says what to undo. */
function clauseOf(message: string): string {
  const parts = message.split(/[;\n]|,\s|\b(?:and then|then|and)\b/iu);
  const at = parts.findIndex((part) => undoVerb.test(part));
  if (at < 0) return message;
  // "undo the rename and the deletion": what follows without a verb of its own goes on with it.
  return parts.length > at + 1 && /^\s*(?:the|that|my)\b/iu.test(parts[at + 1] ?? '')
    ? `${parts[at]} ${parts[at + 1]}`
    : (parts[at] ?? message);
}

const namesSomething = (words: string): boolean =>
  pathsIn(words).length > 0 || kinds.some(({ named }) => named.test(words));

/** `old.py`, `src/cart`, `"a b.txt"`: words that look like a path. */
function pathsIn(words: string): readonly string[] {
  const tokens = words.match(/"[^"\n]+"|'[^'\n]+'|`[^`\n]+`|[^\s,;!?()]+/gu) ?? [];
  return tokens
    .map((token) => token.replaceAll(/^["'`@]+|["'`.:]+$/gu, '').replace(/^\.\//u, ''))
    .filter((token) => /[^/]\/[^/]|\/$|\.\w{1,10}$|^\.\w/u.test(token))
    .map((token) => token.toLowerCase());
}

/** The changes that the words name: of the files and kinds they say, narrowed by the other words. */
export function findChanges(words: string, changes: readonly ChangeMade[]): readonly ChangeMade[] {
  const paths = pathsIn(words);
  const asked = kinds.filter(({ named }) => named.test(words));
  const inFiles = changes.filter(
    ({ files }) => paths.length === 0 || files.some((file) => isNamed(file.path, paths)),
  );
  const fitting = asked.length === 0 ? inFiles : ofKinds(inFiles, asked);
  const isBack = asked.length === 0 && brings.test(words);
  const brought = isBack
    ? fitting.filter(({ files }) =>
        files.some(({ path, action }) => action === 'deleted' && isNamed(path, paths)),
      )
    : [];
  const narrowed = narrow(brought.length > 0 ? brought : fitting, words);
  if (latest.test(words)) return narrowed.slice(0, 1);
  return earliest.test(words) ? narrowed.slice(-1) : narrowed;
}

function isNamed(path: string, names: readonly string[]): boolean {
  const known = path.toLowerCase();
  return names.some((name) => {
    const folder = name.replace(/\/$/u, '');
    return known === name || known.endsWith(`/${name}`) || known.startsWith(`${folder}/`);
  });
}

/** What a change did counts before the words that led to it. */
function ofKinds(changes: readonly ChangeMade[], asked: typeof kinds): readonly ChangeMade[] {
  const done = changes.filter(({ what }) =>
    asked.some(({ did }) => did?.test(what.replaceAll(/"[^"]*"|\S+\.\S+/gu, ' '))),
  );
  if (done.length > 0) return done;
  return changes.filter(({ said = '' }) => asked.some(({ named }) => named.test(said)));
}

const common = new Set(
  'undo undone revert rollback restore please that this the last latest first change changes file files from with back what just you your did made'.split(
    ' ',
  ),
);
const minWordChars = 3;

const wordsIn = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Other words of the message decide where they fit some of the changes and not all. */
function narrow(changes: readonly ChangeMade[], words: string): readonly ChangeMade[] {
  const tokens = wordsIn(words).filter(
    (token) =>
      token.length >= minWordChars &&
      !common.has(token) &&
      !kinds.some(({ named }) => named.test(token)),
  );
  let left = changes;
  for (const token of tokens) {
    const fits = left.filter(({ what, said = '' }) => wordsIn(`${what} ${said}`).includes(token));
    if (fits.length > 0) left = fits;
  }
  return left;
}
