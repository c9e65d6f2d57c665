import type { AskOutcome } from '../../../../contract/agent/index.ts';
import { exitCodes } from '../../runs/run-result.ts';

const exitDone = 0;
const exitRefused = 3;
const exitWaiting = 4;

/** What a shell learns from what came of a message. */
export function outcomeExitCode(outcome: AskOutcome, isPlanOnly: boolean): number {
  switch (outcome.kind) {
    case 'plan':
      return isPlanOnly ? exitDone : exitWaiting;
    case 'question':
      return exitWaiting;
    case 'refusal':
      return exitRefused;
    case 'answer':
      return outcome.runStatus === undefined ? exitDone : exitCodes[outcome.runStatus];
  }
}
