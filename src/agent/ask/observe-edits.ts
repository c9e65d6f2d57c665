import type { Preference } from '../../contract/preference/index.ts';
import type { Remembered, Turn as SessionTurn } from '../../contract/session/index.ts';
import { loadText } from './kept-texts.ts';
import type { Turn } from './turn.ts';

const maxTurnsBack = 40;
/** Files that are looked at before a message is answered. */
const maxFiles = 4;

/**
 * Compares files that this conversation wrote with what they are now: how the user changed them may show what they
 * prefer. Only our own table of ways to write is compared, and nothing of it holds before the user agrees.
 */
export async function observeEdits(turn: Turn, source: Preference['source']): Promise<void> {
  const { parts, request, before, emit } = turn;
  const { caller } = request;
  for (const { path, made } of writtenFiles(before.turns)) {
    const [text, after] = await Promise.all([
      typeof made === 'string' ? made : loadText(made, { parts, caller }),
      parts.readFile?.(path),
    ]);
    if (text === undefined || after === undefined || text === after) continue;
    const edit = { path, before: text, after };
    for (const { evidence, text: found } of await parts.memory.observe(caller, edit, { source })) {
      emit({
        kind: 'notice',
        text: `${evidence}: the next plan for which that matters will suggest "${found}".`,
      });
    }
  }
}

interface WrittenFile {
  readonly path: string;
  /** The text itself, or what holds it. */
  readonly made: string | Remembered;
}

/** The files that runs of these turns wrote, the last text of each, the newest first. */
function writtenFiles(turns: readonly SessionTurn[]): readonly WrittenFile[] {
  const files = new Map<string, WrittenFile>();
  for (const turn of turns.slice(-maxTurnsBack).toReversed()) {
    const isRun = turn.outcome === 'answer' && turn.runId !== undefined;
    if (!isRun || turn.isTainted === true) continue;
    for (const { args = {} } of turn.plan?.steps ?? []) {
      const { path, content } = args;
      if (typeof path !== 'string' || typeof content !== 'string' || files.has(path)) continue;
      const made = textBehind(content, turn, turns);
      if (made !== undefined) files.set(path, { path, made });
    }
    if (files.size >= maxFiles) break;
  }
  return [...files.values()].slice(0, maxFiles);
}

/** What `content` of a step stood for: a text, the result of a step of that run, or what an earlier turn made. */
function textBehind(
  content: string,
  { number, remembered }: SessionTurn,
  turns: readonly SessionTurn[],
): string | Remembered | undefined {
  const [, root = '', member = ''] = /^\$\{(\w+)\.(\w+)\}$/.exec(content) ?? [];
  if (root === '') return content.replaceAll('$${', () => '${');
  if (root !== 'input') return remembered.find(({ step }) => step === root);
  const kind = member.replace(/^last_/, '');
  return turns
    .slice(0, number - 1)
    .flatMap((turn) => turn.remembered)
    .findLast((one) => one.kind === kind);
}
