import { counted } from '../../kernel/index.ts';
import type { RunView, StepView, Waiting } from '../../contract/run/index.ts';

const maxMessageChars = 1_000;

/** What went wrong with a run and what to do about it; said by us, so that nothing is glossed over. */
export function describeFailure(view: RunView): string {
  const { runId, status, error } = view;
  if (status === 'cancelled')
    return `The run was cancelled. "tutti runs show ${runId}" tells how far it came.`;
  const failed = Object.entries(view.steps).filter(
    ([, step]) => step.status === 'failed' || step.status === 'unknown',
  );
  const done = Object.values(view.steps).filter((step) => step.status === 'succeeded').length;
  if (error?.code === 'workflow.approval_denied') {
    return [
      `Not done: ${cut(error.message)}.`,
      ...(done > 0 ? [`${counted(done, 'earlier step')} succeeded.`] : []),
    ].join('\n');
  }
  return [
    `It did not work: ${cut(error?.message ?? `the run ended as ${status}`)}`,
    ...failed
      .filter(([, step]) => !isSaid(step, error))
      .map(
        ([path, step]) =>
          `- step ${path}${step.tool === undefined ? '' : ` (${step.tool})`}: ${step.error ? `${step.error.code}: ${cut(step.error.message)}` : 'failed'}`,
      ),
    ...(done > 0
      ? [
          `${counted(done, 'earlier step')} succeeded and ${done === 1 ? 'keeps its result' : 'keep their results'}.`,
        ]
      : []),
    `"tutti runs retry ${runId}" tries again what failed; "tutti runs show ${runId}" tells all; or say what to do differently.`,
  ].join('\n');
}

/** A run usually fails by the error of its one failed step. */
function isSaid(step: StepView, error: RunView['error']): boolean {
  return step.error !== undefined && error?.message.includes(step.error.message) === true;
}

/** What a run waits for, as questions to a person, with the command that answers. */
export function describeWaits({ runId, waitingFor }: RunView): string[] {
  return waitingFor.map((waiting) => describeWait(runId, waiting));
}

/** The first line of a preview sums it up; without one the arguments have to do. */
function effectOf({ preview, arguments: args }: Extract<Waiting, { kind: 'approval' }>): string {
  if (preview === undefined) return ` with ${cut(JSON.stringify(args))}`;
  return `: ${cut(preview.split('\n', 1)[0] ?? '').replace(/:$/, '')}`;
}

function describeWait(runId: string, waiting: Waiting): string {
  const { step } = waiting;
  switch (waiting.kind) {
    case 'approval': {
      const call =
        waiting.tool === null ? '' : ` It would call ${waiting.tool}${effectOf(waiting)}.`;
      return `Step "${step}" needs your approval.${call} Give it with: tutti runs approve ${runId} ${step} (or deny). I cannot approve it for you.`;
    }
    case 'signal':
      return `Step "${step}" waits for the signal "${waiting.signal}": tutti runs signal ${runId} ${waiting.signal} JSON`;
    case 'resolve':
      return `Nobody knows whether step "${step}" (${waiting.tool}) happened. Look, then: tutti runs resolve ${runId} ${step} --happened or --not-happened`;
    case 'repair':
      return `Step "${step}" failed (${cut(waiting.error.message)}): tutti runs repair ${runId} ${step} --args JSON, or --give-up`;
  }
}

function cut(text: string): string {
  return text.length <= maxMessageChars ? text : `${text.slice(0, maxMessageChars - 1)}…`;
}
