import { localCaller } from '../../../contract/caller/index.ts';
import type { Json } from '../../../contract/plan/index.ts';
import type { ForkChanges, Workflows } from '../../../contract/run/index.ts';
import { UsageError } from '../../errors.ts';
import { inFolderOf } from '../../in-folder.ts';
import { type Invocation, textOption, withSystem } from '../../invocation.ts';
import { parseJson, parseJsonObject } from '../../read-input.ts';
import { withRunId, withWholeRunId } from './show-run.ts';
import { followRun } from './follow-run.ts';
import { looseJson, readGivenInputs, schemasOf, typedInputs } from './run-inputs.ts';
import { showDetached, verdict } from './run-result.ts';
import type { System } from '../../../compose/index.ts';
import { seeApproval } from './approvals.ts';

/** Does something to a run; gives the id of the run that is to be followed. */
type Change = (
  invocation: Invocation,
  workflows: Workflows,
  operands: readonly string[],
) => Promise<string>;

/** The same, with the preview of what was approved. */
type Decision = (
  ...args: Parameters<Change>
) => Promise<{ readonly runId: string; readonly seen: string | undefined }>;

/** An action that changes a run, and then goes on with it here until it is over or waits again. */
export function goingOn(change: Change | Decision) {
  return (invocation: Invocation, operands: readonly string[]): Promise<number> => {
    const findRun = async ({ workflows }: System) => {
      const named = await withRunId(invocation, workflows, operands);
      const { folder } = await workflows.show(localCaller, named[0]);
      return { named, folder };
    };
    return inFolderOf(invocation, findRun, async (system, { named }) => {
      const { workflows } = system;
      const changed = await change(invocation, workflows, named);
      const { runId, seen } =
        typeof changed === 'string' ? { runId: changed, seen: undefined } : changed;
      if (invocation.options['detach'] === true) return showDetached(invocation, workflows, runId);
      return followRun(invocation, {
        system,
        runId,
        execute: true,
        onInterrupt: 'leave',
        isKnown: true,
        seen,
      });
    });
  };
}

/** An action that stops a run, and shows how it stands then. */
export function stopping(change: Change) {
  return (invocation: Invocation, operands: readonly string[]): Promise<number> =>
    withSystem(invocation, {}, async (system) => {
      const { workflows } = system;
      const named = await withWholeRunId(invocation, system, operands);
      const runId = await change(invocation, workflows, named);
      const view = await workflows.show(localCaller, runId);
      invocation.output.result(view, () => verdict(view));
      return 0;
    });
}

export const cancel: Change = async (invocation, workflows, [runId = '']) => {
  await workflows.cancel(localCaller, runId, textOption(invocation, 'reason'));
  return runId;
};

export const pause: Change = async (_invocation, workflows, [runId = '']) => {
  await workflows.pause(localCaller, runId);
  return runId;
};

/** Continues a run that is paused or has no owner; one that waits or has ended is only shown. */
export const resume: Change = async (_invocation, workflows, [runId = '']) => {
  await workflows.resume(localCaller, runId);
  return runId;
};

export const retry: Change = async (invocation, workflows, [runId = '']) => {
  await workflows.retry(localCaller, runId, textOption(invocation, 'from'));
  return runId;
};

export function decide(word: 'approved' | 'denied'): Decision {
  return async (invocation, workflows, [runId = '', step]) => {
    const reason = textOption(invocation, 'reason');
    const shown =
      word === 'approved' ? await seeApproval(invocation, workflows, { runId, step }) : undefined;
    await workflows.decide(localCaller, runId, {
      verdict: word,
      ...(step !== undefined && { step }),
      // Exactly what was shown: a question that has replaced it meanwhile stays undecided.
      ...(shown && { approvalId: shown.approvalId }),
      ...(reason !== undefined && { reason }),
    });
    return { runId, seen: invocation.output.isJson ? undefined : shown?.preview };
  };
}

export const signal: Change = async ({ io }, workflows, [runId = '', name = '', word]) => {
  const payload = word === undefined ? null : await looseJson(word, io);
  await workflows.signal(localCaller, runId, name, payload);
  return runId;
};

export const resolve: Change = async (invocation, workflows, [runId = '', step = '']) => {
  const { happened, notHappened } = invocation.options;
  if ((happened === true) === (notHappened === true)) {
    throw new UsageError('"runs resolve" wants --happened or --not-happened');
  }
  const text = textOption(invocation, 'output');
  if (notHappened === true && text !== undefined) {
    throw new UsageError('What has not happened has no --output');
  }
  await workflows.resolve(
    localCaller,
    runId,
    step,
    happened === true
      ? { kind: 'happened', ...(text !== undefined && { output: parseJson('--output', text) }) }
      : { kind: 'not-happened' },
  );
  return runId;
};

export const repair: Change = async (invocation, workflows, [runId = '', step = '']) => {
  const words: unknown = invocation.options['args'];
  const texts = Array.isArray(words) ? words.map(String) : [];
  const [text, ...more] = texts;
  const isGivenUp = invocation.options['giveUp'] === true;
  if (more.length > 0 || isGivenUp === (text !== undefined)) {
    throw new UsageError('"runs repair" wants --args with a JSON object, or --give-up');
  }
  const args = text === undefined ? null : parseJsonObject('--args', text);
  await workflows.repair(localCaller, runId, step, args);
  return runId;
};

export const fork: Change = async (invocation, workflows, [runId = '']) => {
  const fromStep = textOption(invocation, 'from');
  const given = await readGivenInputs(invocation);
  const args = argsByStep(invocation);
  const isChanged = given.pairs.length > 0 || Object.keys(given.values).length > 0;
  const input = isChanged
    ? typedInputs(given, schemasOf((await workflows.show(localCaller, runId)).input))
    : undefined;
  const changes: ForkChanges = {
    ...(fromStep !== undefined && { fromStep }),
    ...(input && { input }),
    ...(args && { args }),
  };
  const forked = await workflows.fork(localCaller, runId, changes);
  invocation.output.note(`Run ${forked.runId}`);
  return forked.runId;
};

/** `--args STEP=JSON`, several times. */
function argsByStep({ options }: Invocation): ForkChanges['args'] {
  const words: unknown = options['args'];
  if (!Array.isArray(words)) return undefined;
  const entries = words.map(String).map((word): [string, Readonly<Record<string, Json>>] => {
    const at = word.indexOf('=');
    if (at < 1)
      throw new UsageError(`--args looks like STEP={"name": "value"}, and this is "${word}"`);
    return [word.slice(0, at), parseJsonObject('--args', word.slice(at + 1))];
  });
  return Object.fromEntries(entries);
}
