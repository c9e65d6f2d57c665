import type { Preference } from '../../contract/preference/index.ts';
import type { Remembered, Turn as SessionTurn } from '../../contract/session/index.ts';
import { AppError } from '../../kernel/index.ts';
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
  for (const file of writtenFiles(before.turns)) {
    const { path, made } = file;
    if (!(await isWritten(turn, file))) continue;
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

/** Runs are kept for a while; of one that is gone it cannot be told. */
async function isWritten({ parts, request }: Turn, { runId, step }: WrittenFile): Promise<boolean> {
  try {
    const { steps } = await parts.workflows.show(request.caller, runId);
    return steps[step]?.status === 'succeeded';
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

interface WrittenFile {
  readonly runId: string;
  readonly step: string;
  readonly path: string;
  /** The text itself, or what holds it. */
  readonly made: string | Remembered;
}

/** The files that runs of these turns may have written, the last text of each, the newest first. */
function writtenFiles(turns: readonly SessionTurn[]): readonly WrittenFile[] {
  const files = new Map<string, WrittenFile>();
  for (const turn of turns.slice(-maxTurnsBack).toReversed()) {
    const { outcome, runId, isTainted } = turn;
    if (outcome !== 'answer' || runId === undefined || isTainted === true) continue;
    for (const { id: step, args = {} } of stepsBehind(turn, turns)) {
      const { path, content } = args;
      if (typeof path !== 'string' || typeof content !== 'string' || files.has(path)) continue;
      const made = textBehind(content, turn, turns);
      if (made !== undefined) files.set(path, { runId, step, path, made });
    }
    if (files.size >= maxFiles) break;
  }
  return [...files.values()].slice(0, maxFiles);
}

/** The steps of the plan that ran; after an approval those of the plans that were shown before. */
function stepsBehind({ plan, number }: SessionTurn, turns: readonly SessionTurn[]) {
  if (plan) return plan.steps;
  const shown = turns.slice(0, number).findLast(({ outcome }) => outcome === 'plan');
  return [shown?.plan, ...(shown?.alternatives ?? [])].flatMap((one) => one?.steps ?? []);
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
