import { isAbsolute, join } from 'node:path';
import type { Opening, StartConditions } from '../../contract/opening/index.ts';
import { systemTimers, userFolder, type Timers } from '../../kernel/index.ts';
import { answerFrom, type DeskStreams } from './answer-from.ts';
import { createKeeper } from './answer-keeper.ts';
import type { Call } from './conditions-digest.ts';
import { readKeptAnswers } from './kept-answers.ts';

/**
 * Answers what a client asks first from what an earlier process answered, while the system that could
 * answer everything is still to be loaded.
 *
 * 1. It answers only if nothing has changed that the answer depends on, and only what was asked then, in
 *    the same words. Anything else is left for the system, and so is all that comes after it.
 * 2. The system is given everything that was read, and goes through it again: it comes to the state it
 *    would be in had it answered itself, and corrects an answer that it would not have given.
 */
export interface FrontDesk {
  /** Resolves when there is nothing to answer at the moment, so that loading the system delays nobody. */
  readonly untilQuiet: Promise<void>;
  /** Ends its work: the input is free for others, and what the system answers is kept for the next start. */
  handOver(conditions: StartConditions): Opening;
}

/** Undefined where the data directory cannot be known without reading settings. */
export function openFrontDesk(
  call: Call,
  streams: DeskStreams,
  timers: Timers = systemTimers,
): FrontDesk | undefined {
  const home = homeOf(call);
  if (home === undefined) return undefined;
  const folder = join(home, 'first-answers');
  const kept = readKeptAnswers(folder, call);
  const answering = kept && answerFrom(kept, streams, timers);
  return {
    untilQuiet: answering?.untilQuiet ?? Promise.resolve(),
    handOver: (conditions) => {
      const { received, answered } = answering?.end() ?? nothingRead;
      const isHere = conditions.home === home;
      const onAnswer = isHere ? createKeeper({ folder, call, conditions, kept, timers }) : () => {};
      return { received, answered, onAnswer };
    },
  };
}

const nothingRead = { received: new Uint8Array(), answered: new Map<string | number, string>() };

/** A wrong guess costs nothing: what is kept there was kept under the same words and variables. */
function homeOf({ argv, env }: Call): string | undefined {
  const at = argv.indexOf('--home');
  const named = (at === -1 ? undefined : argv[at + 1]) ?? env['TUTTI_HOME'] ?? '';
  if (named !== '') return isAbsolute(named) ? named : undefined;
  const { platform } = process;
  const homeDirectory = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? '';
  return homeDirectory === '' ? undefined : userFolder({ env, homeDirectory, platform }, 'data');
}
