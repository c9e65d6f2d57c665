import { stringify } from 'yaml';
import type { DecomposedTask, ProposedAgent } from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { askYes } from '../ask-line.ts';
import { NeedsAnswerError } from '../errors.ts';
import { type Invocation, textOption, withSystem } from '../invocation.ts';
import { cutText } from '../output.ts';
import { followRun } from './runs/follow-run.ts';

type Operands = readonly string[];
const maxGoal = 60;

/** `tutti agents plan TASK…`: a task as a plan of agents and tools. */
export function planTask(invocation: Invocation, words: Operands): Promise<number> {
  const after = textOption(invocation, 'after');
  return withSystem(invocation, {}, async (system) => {
    const { agents, workflows } = system;
    const made = await agents.decompose(localCaller, words.join(' '), after);
    if (invocation.options['run'] !== true) {
      invocation.output.result(made, () => describePlan(made));
      return 0;
    }
    invocation.output.note(describePlan(made));
    const source = { kind: 'data', plan: made.plan } as const;
    const { runId } = await workflows.start(localCaller, { source, input: {} });
    return followRun(invocation, { system, runId, execute: true, onInterrupt: 'cancel' });
  });
}

function describePlan({ why, plan, estimate, questions }: DecomposedTask): string {
  const { steps, seconds, from } = estimate;
  const about = from === 'history' ? 'by earlier tasks' : 'as a guess: there are no earlier tasks';
  return [
    `# ${why}`,
    `# ${pluralize(steps, 'step')}, about ${seconds} s ${about}`,
    ...questions.map((question) => `# ? ${question}`),
    stringify(plan).trimEnd(),
  ].join('\n');
}

/** `tutti agents propose`: agents of repeated runs, written after a yes. */
export function proposeNew(invocation: Invocation): Promise<number> {
  const { io, options, output } = invocation;
  return withSystem(invocation, {}, async ({ agents }) => {
    const proposals = await agents.propose(localCaller);
    if (proposals.length === 0) {
      output.result(
        { proposals, added: [] },
        () =>
          'No plan was run often enough: an agent is proposed from three successful runs of the same steps.',
      );
      return 0;
    }
    const added: string[] = [];
    for (const proposal of proposals) {
      output.note(describeProposal(proposal));
      const answer = options['yes'] === true ? true : await askYes(io, `Add ${proposal.name}?`);
      if (answer === undefined) throw new NeedsAnswerError(`Adding ${proposal.name}`, '--yes');
      if (!answer) continue;
      const report = await agents.add([{ path: `${proposal.name}.md`, text: proposal.text }]);
      for (const { file } of report.added) added.push(file);
      for (const { line, message } of report.problems)
        output.note(`not added: line ${line}: ${message}`);
    }
    output.result({ proposals, added }, () =>
      added.length === 0 ? 'Nothing was written.' : added.map((file) => `wrote ${file}`).join('\n'),
    );
    return 0;
  });
}

function describeProposal({ name, text, runs }: ProposedAgent): string {
  const succeeded = runs.filter(({ status }) => status === 'succeeded').length;
  return [
    `${name}: ${succeeded} of ${pluralize(runs.length, 'run')} succeeded`,
    ...runs
      .slice(0, maxShownRuns)
      .map(({ runId, status, goal }) => `  ${runId} ${status} ${cutText(goal ?? '', maxGoal)}`),
    '',
    text,
  ].join('\n');
}

const maxShownRuns = 5;
