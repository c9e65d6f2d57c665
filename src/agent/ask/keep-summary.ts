import { AppError } from '../../kernel/index.ts';
import { summarizeTurns } from '../answer/index.ts';
import { turnInOwnWords } from '../intent/index.ts';
import { modelCall, type Turn } from './turn.ts';

/** Turns that leave the window before they are summed up, so that it is not done for each. */
const batch = 10;

/** Sums up turns that no longer go to the model word for word. Nothing depends on it: failures are only logged. */
export async function keepSummary(turn: Turn): Promise<void> {
  const { parts, options, session } = turn;
  const { turns, summary } = session.current();
  const newest = turns.length - parts.settings.contextTurns;
  const since = turns.slice(summary?.turn ?? 0, Math.max(0, newest));
  if (since.length < batch) return;
  try {
    if (!(await parts.models.find('agent', options.client))) return;
    const summed = { before: summary?.text ?? null, turns: since.map(turnInOwnWords) };
    const text = await summarizeTurns(parts.models, summed, modelCall(turn));
    if (text !== '') await session.summarize({ text, turn: newest });
  } catch (error) {
    // The answer is given and recorded: what is cancelled from here on is this alone.
    if (options.signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    parts.log.warn('older turns were not summed up', { error });
  }
}
