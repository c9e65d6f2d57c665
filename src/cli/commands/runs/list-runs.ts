import { localCaller } from '../../../contract/caller/index.ts';
import type { RunStatus, RunSummary } from '../../../contract/run/index.ts';
import { UnknownNameError } from '../../errors.ts';
import { textOption, withSystem, type Invocation } from '../../invocation.ts';
import { limitOption } from '../../limit-option.ts';
import { firstSentence, formatColumns } from '../../output.ts';
import { timeShower, type ShowTime } from '../../show-time.ts';
import { exitCodes } from './run-result.ts';
import { durationText } from './run-tree.ts';

const usualCount = 20;
const maxNameLength = 60;

export async function listRuns(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const limit = limitOption(invocation, usualCount);
  const status = statusOption(invocation);
  return withSystem(invocation, {}, async ({ workflows }) => {
    const runs = await workflows.list(localCaller, { limit, ...(status && { status }) });
    output.result(runs, () =>
      runs.length === 0
        ? 'There are no runs: "tutti run PLAN" starts one'
        : table(runs, timeShower(invocation.io)),
    );
    return 0;
  });
}

function table(runs: readonly RunSummary[], showTime: ShowTime): string {
  return formatColumns(
    runs.map(({ runId, status, isInterrupted, createdAt, startedAt, endedAt, name, goal }) => [
      runId,
      isInterrupted ? 'interrupted' : status,
      showTime(createdAt),
      startedAt === null || endedAt === null ? '' : durationText(startedAt, endedAt),
      isInterrupted
        ? `${firstSentence(name ?? goal ?? '', maxNameLength)}  tutti runs resume ${runId}`.trim()
        : firstSentence(name ?? goal ?? '', maxNameLength),
    ]),
  );
}

function statusOption(invocation: Invocation): readonly RunStatus[] | undefined {
  const words = textOption(invocation, 'status')?.split(',');
  return words?.map((word) => {
    const name = word.trim();
    if (!Object.hasOwn(exitCodes, name)) {
      throw new UnknownNameError('status', name, Object.keys(exitCodes));
    }
    // Just proven to be a key of the table.
    return name as RunStatus;
  });
}
