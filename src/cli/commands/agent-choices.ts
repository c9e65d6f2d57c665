import type { Comparison, ExplainedDelegation } from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import type { System } from '../../compose/index.ts';
import { UsageError } from '../errors.ts';
import { type Invocation, textOption, withSystem } from '../invocation.ts';
import { cutText, formatColumns } from '../output.ts';

function inAgents(
  invocation: Invocation,
  work: (agents: System['agents']) => Promise<void>,
): Promise<number> {
  return withSystem(invocation, {}, async ({ agents }) => {
    await work(agents);
    return 0;
  });
}

type Operands = readonly string[];
const maxTask = 60;

/** `tutti agents why`: which agent would get a task. */
export function explainChoice(
  invocation: Invocation,
  [capability = '', ...words]: Operands,
): Promise<number> {
  return inAgents(invocation, async (agents) => {
    const choice = await agents.wouldChoose(localCaller, {
      capability,
      task: words.join(' ') || capability,
    });
    invocation.output.result(choice, () => choiceLines(choice).join('\n'));
  });
}

export function versionIn(text: string): { readonly agent: string; readonly version: string } {
  const [agent = '', version = ''] = text.split(/@(.*)/s);
  if (agent !== '' && version !== '') return { agent, version };
  throw new UsageError(`A version of an agent is NAME@VERSION, and this is "${text}"`);
}

/** `tutti agents compare`: what is known of two versions, or the beginning of a comparison. */
export function compareVersions(
  invocation: Invocation,
  [one = '', other = '']: Operands,
): Promise<number> {
  const [current, candidate] = [versionIn(one), versionIn(other)];
  const mode = textOption(invocation, 'start');
  if (mode !== undefined && mode !== 'share' && mode !== 'shadow') {
    throw new UsageError(
      '--start is "share" (it does a part of the tasks) or "shadow" (it runs beside, without effects)',
    );
  }
  const shareText = textOption(invocation, 'share');
  const share = shareText === undefined ? {} : { share: Number(shareText) };
  return inAgents(invocation, async (agents) => {
    for (const { agent, version } of [current, candidate])
      await agents.show(localCaller, agent, version);
    if (mode !== undefined) {
      const plan = {
        agent: current.agent,
        current: current.version,
        candidate: candidate.version,
        mode,
        ...share,
      } as const;
      const status = await agents.versions.start(localCaller, plan);
      invocation.output.result(
        status,
        () => `${other} is compared with ${one} from now on (${mode}).`,
      );
      return;
    }
    const comparison = await agents.versions.compare(localCaller, current, candidate);
    invocation.output.result(comparison, () => describeComparison(comparison));
  });
}

function describeComparison({
  outcomes,
  effect,
  interval,
  guardrails,
  decision,
  why,
}: Comparison): string {
  const { low, high, confidence } = interval;
  const broken = guardrails.filter(({ isBroken }) => isBroken).map(({ metric }) => metric);
  return [
    `${decision}: ${why}`,
    formatColumns([
      ['outcomes', `${outcomes.current} and ${outcomes.candidate}`],
      ['effect', effect === null ? 'not known yet' : effect.toFixed(3)],
      ['interval', `${low.toFixed(3)} to ${high.toFixed(3)} (${Math.round(confidence * 100)} %)`],
      ['guardrails', broken.length === 0 ? 'kept' : `broken: ${broken.join(', ')}`],
    ]),
  ].join('\n');
}

/** `tutti agents rollback`. */
export function rollBack(
  invocation: Invocation,
  [name = '', ...reason]: Operands,
): Promise<number> {
  return inAgents(invocation, async (agents) => {
    const status = await agents.versions.rollback(
      localCaller,
      name,
      reason.join(' ') || 'by a person',
    );
    invocation.output.result(
      status,
      () => `${name}: version ${status.current ?? 'that was there before'} does the tasks again.`,
    );
  });
}

interface ShownChoice {
  readonly why?: string;
  readonly propensity?: number;
  readonly order?: readonly {
    agent: string;
    version: string;
    score: number;
    propensity: number;
    criteria: Readonly<Record<string, number>>;
  }[];
}

/** What was weighed, best first. */
function choiceLines(choice: unknown): string[] {
  // Made by the chooser; rows of another shape are shown by their reason alone.
  const { why = '', order = [] } = Object(choice) as ShownChoice;
  const lines = order.map(({ agent, version, score, propensity, criteria }) => {
    const parts = Object.entries(criteria).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    return `  ${agent}@${version}  score ${score.toFixed(2)}  chosen with ${propensity.toFixed(2)}  (${parts.join(', ')})`;
  });
  return [why, ...lines];
}

/** `tutti runs why RUN`: the decisions of a run and of those it began, as a tree. */
export async function explainRun(
  { output }: Invocation,
  { agents, workflows }: Pick<System, 'agents' | 'workflows'>,
  wanted: string,
): Promise<number> {
  const { runId } = await workflows.show(localCaller, wanted);
  const decisions = await agents.why(localCaller, runId);
  output.result({ runId, decisions }, () =>
    decisions.length === 0
      ? 'No agent took part in this run.'
      : decisions.flatMap((one) => treeLines(one, '')).join('\n'),
  );
  return 0;
}

function treeLines(one: ExplainedDelegation, indent: string): string[] {
  const {
    agent,
    version,
    capability,
    verdict,
    runId,
    parentStep,
    error,
    decision,
    children,
    task,
    attempt,
  } = one;
  const step = parentStep === null ? '' : `${parentStep}: `;
  const again = attempt === 0 ? '' : ` (attempt ${attempt + 1})`;
  return [
    `${indent}${step}${agent}@${version} for ${capability}${again}: ${verdict}${runId === null ? '' : `, run ${runId}`}`,
    `${indent}  task: ${cutText(task.replaceAll('\n', ' '), maxTask)}`,
    ...choiceLines(decision).map((line) => `${indent}  ${line}`),
    ...(error === null ? [] : [`${indent}  error: ${error}`]),
    ...children.flatMap((child) => treeLines(child, `${indent}    `)),
  ];
}
