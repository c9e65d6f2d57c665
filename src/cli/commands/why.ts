import { localCaller } from '../../contract/caller/index.ts';
import {
  describeExplanation,
  findFailedCall,
  maxFailuresSearched,
  type Experience,
  type Failure,
  type FailureQuery,
  type Suggestion,
} from '../../contract/experience/index.ts';
import { systemClock } from '../../kernel/index.ts';
import type { System } from '../../compose/index.ts';
import { UsageError } from '../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { cutText, formatColumns } from '../output.ts';
import { readInput } from '../read-input.ts';

const usualCount = 20;
const maxCause = 70;

/** `why [RUN|last] [STEP]`: why a run failed, what cured it before, and the command; without a run, the latest failures. */
export async function run(invocation: Invocation): Promise<number> {
  const { output, operands } = invocation;
  const fix = fixOption(invocation);
  return withSystem(invocation, {}, async (system) => {
    const { experience } = system;
    if (fix) {
      const changed = await fix(experience);
      output.result(changed, () => fixText(changed));
      return 0;
    }
    if (operands.length === 0) {
      const failures = await experience.failures(localCaller, limitOption(invocation, usualCount));
      const here = await system.folder();
      output.result(failures, () => listText(failures, here));
      return 0;
    }
    const query = await queryOf(invocation, system);
    const explanation = await experience.explain(localCaller, query);
    output.result(explanation, () => describeExplanation(explanation, systemClock.now()));
    return 0;
  });
}

/** `--cured FIX`, `--not-cured FIX`, `--approve FIX`, `--disapprove FIX`: what to note about a fix. */
function fixOption(
  invocation: Invocation,
): ((experience: Experience) => Promise<Suggestion>) | undefined {
  const [failureId] = invocation.operands;
  const given = (['cured', 'notCured', 'approve', 'disapprove'] as const).flatMap((name) => {
    const fixId = textOption(invocation, name);
    return fixId === undefined ? [] : [{ name, fixId }];
  });
  const [only, another] = given;
  if (another) throw new UsageError('Give one of --cured, --not-cured, --approve, --disapprove');
  if (!only) return undefined;
  const { name, fixId } = only;
  if (name === 'approve' || name === 'disapprove') {
    return (experience) => experience.approve(localCaller, fixId, name === 'approve');
  }
  const outcome = {
    fixId,
    isCured: name === 'cured',
    ...(failureId !== undefined && { failureId }),
  };
  return (experience) => experience.recordOutcome(localCaller, outcome);
}

/** A run, else a failure by its id; `-` is the text of an error on standard input. */
async function queryOf({ operands, io }: Invocation, system: System): Promise<FailureQuery> {
  const { experience } = system;
  const [id = '', step] = operands;
  if (id === '-') return { kind: 'text', text: await readInput('-', io) };
  if (id === 'last') return lastFailure(system, step);
  const failures = await experience.failures(localCaller, usualCount);
  if (failures.some((one) => one.id === id)) return { kind: 'failure', id };
  return { kind: 'run', runId: id, ...(step !== undefined && { step }) };
}

/** Of this folder: of a run or of a direct call, whichever failed later; with a step, of a run. */
async function lastFailure(
  { experience, workflows, folder }: System,
  step: string | undefined,
): Promise<FailureQuery> {
  const failed = { status: ['failed'], limit: 1, where: 'here' } as const;
  const [last] = await workflows.list(localCaller, failed);
  const call =
    step === undefined
      ? findFailedCall(await experience.failures(localCaller, maxFailuresSearched), await folder())
      : undefined;
  if (call && (!last || call.at > (last.endedAt ?? last.createdAt))) {
    return { kind: 'failure', id: call.id };
  }
  if (last) return { kind: 'run', runId: last.runId, ...(step !== undefined && { step }) };
  throw new UsageError(
    'No run or call of this folder has failed: "tutti why" lists the failures of all folders',
  );
}

function listText(failures: readonly Failure[], here: string | undefined): string {
  if (failures.length === 0) return 'No failure is recorded.';
  return formatColumns(
    failures.map(({ id, at, subject, family, message, curedAt, runId, folder }) => [
      id,
      at.slice(0, 16).replace('T', ' '),
      subject,
      family ?? 'unknown',
      curedAt === null ? 'open' : 'cured',
      runId ?? '',
      cutText(message.split('\n')[0] ?? '', maxCause),
      folder === undefined || folder === here ? '' : `in ${folder}`,
    ]),
  );
}

function fixText({ fixId, cures, uses, isApproved }: Suggestion): string {
  const approved = isApproved ? ' It may be used without asking.' : '';
  return `${fixId}: cured ${cures} of ${uses} uses.${approved}`;
}
