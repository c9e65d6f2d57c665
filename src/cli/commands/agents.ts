import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type {
  Agents,
  DecomposedTask,
  ProposedAgent,
  ShownAgent,
} from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { pluralize, readRegularFile, reportError } from '../../kernel/index.ts';
import { askYes } from '../ask-line.ts';
import { NeedsAnswerError, UsageError } from '../errors.ts';
import { type Invocation, textOption, withSystem } from '../invocation.ts';
import { cutText, formatColumns } from '../output.ts';
import { actionsOf } from '../run-action.ts';
import { compareVersions, explainChoice, rollBack, versionIn } from './agent-choices.ts';
import { followRun } from './runs/follow-run.ts';

/** `tutti agents`: specialists that do tasks in runs of their own. */
export const run = actionsOf('agents', {
  list: { run: listAgents, takes: [], options: [] },
  show: { run: showAgent, takes: ['NAME[@VERSION]'], options: [] },
  enable: { run: switchOn, takes: ['NAME[@VERSION]'], options: [] },
  disable: { run: switchOff, takes: ['NAME[@VERSION]'], options: [] },
  add: { run: addFiles, takes: ['FILE…?'], options: ['from'] },
  plan: { run: planTask, takes: ['TASK…'], options: ['after', 'run'] },
  compare: {
    run: compareVersions,
    takes: ['NAME@VERSION', 'NAME@VERSION'],
    options: ['start', 'share'],
  },
  rollback: { run: rollBack, takes: ['NAME', 'REASON…?'], options: [] },
  propose: { run: proposeNew, takes: [], options: ['yes'] },
  why: { run: explainChoice, takes: ['CAPABILITY', 'TASK…?'], options: [] },
});

type Operands = readonly string[];

function inAgents(
  invocation: Invocation,
  work: (agents: Agents) => Promise<void>,
): Promise<number> {
  return withSystem(invocation, {}, async ({ agents }) => {
    await work(agents);
    return 0;
  });
}

const maxReason = 60;

function listAgents(invocation: Invocation): Promise<number> {
  return inAgents(invocation, async (agents) => {
    const listed = await agents.list(localCaller);
    for (const note of listed.notes) invocation.output.note(note);
    invocation.output.result(listed, () =>
      [
        formatColumns(listed.agents.map(row)),
        ...listed.problems.map(
          ({ file, line, message }) => `not used: ${file}:${line}: ${message}`,
        ),
      ].join('\n'),
    );
  });
}

function row({ name, version, state, source, capabilities, reason, tasks }: ShownAgent): string[] {
  const done = tasks.done + tasks.failed === 0 ? '' : `${tasks.done} done, ${tasks.failed} failed`;
  return [
    `${name}@${version}`,
    state,
    source,
    capabilities.join(' '),
    done,
    cutText(reason ?? '', maxReason),
  ];
}

function showAgent(invocation: Invocation, [name = '']: Operands): Promise<number> {
  return inAgents(invocation, async (agents) => {
    const { agent, version } = nameIn(name);
    const shown = await agents.show(localCaller, agent, version);
    invocation.output.result(shown, () => describe(shown));
  });
}

function describe(shown: Awaited<ReturnType<Agents['show']>>): string {
  const {
    name,
    version,
    state,
    reason,
    description,
    capabilities,
    without_model,
    tools,
    definition,
  } = shown;
  const { limits, criteria = [], file = '', instructions = '' } = definition ?? {};
  const withModel = capabilities.filter((one) => !without_model.includes(one));
  return [
    `${name}@${version}: ${state}${reason === null ? '' : ` (${reason})`}`,
    description,
    '',
    formatColumns([
      ['without a model', without_model.join(', ') || 'nothing'],
      ['with a model', withModel.length === 0 ? 'the same' : withModel.join(', ')],
      ['may call', tools.join(', ')],
      ...(limits
        ? [
            ['done when', criteria.join(', ')],
            [
              'limits',
              `${limits.rounds} rounds, ${limits.calls} calls, ${limits.tokens} tokens, $${limits.money_usd}, ${limits.minutes} minutes`,
            ],
            ['file', file],
          ]
        : []),
    ]),
    ...(instructions === '' ? [] : ['', instructions]),
  ].join('\n');
}

function switchOn(invocation: Invocation, operands: Operands): Promise<number> {
  return setEnabled(invocation, operands, true);
}

function switchOff(invocation: Invocation, operands: Operands): Promise<number> {
  return setEnabled(invocation, operands, false);
}

function setEnabled(
  invocation: Invocation,
  [name = '']: Operands,
  isEnabled: boolean,
): Promise<number> {
  const { agent, version } = nameIn(name);
  return inAgents(invocation, async (agents) => {
    await agents.setEnabled(localCaller, agent, {
      isEnabled,
      ...(version !== undefined && { version }),
    });
    invocation.output.result(
      { agent: name, isEnabled },
      () => `${name} is switched ${isEnabled ? 'on' : 'off'}.`,
    );
  });
}

function nameIn(text: string): { readonly agent: string; readonly version?: string } {
  return text.includes('@') ? versionIn(text) : { agent: text };
}

const maxAgentFiles = 200;
const maxFileBytes = 200_000;

async function addFiles(invocation: Invocation, names: Operands): Promise<number> {
  const { io, output } = invocation;
  const folder = textOption(invocation, 'from');
  if ((folder === undefined) === (names.length === 0)) {
    throw new UsageError(
      'Name agent files, or a folder of them: tutti agents add FILE…, or --from DIR',
    );
  }
  const given = folder === undefined ? names : [folder];
  const paths = (await Promise.all(given.map((name) => filesAt(resolve(io.cwd, name))))).flat();
  const files = await Promise.all(
    paths.slice(0, maxAgentFiles).map(async (path) => ({ path, text: await readText(path) })),
  );
  return withSystem(invocation, {}, async ({ agents }) => {
    const report = await agents.add(files);
    output.result(report, () =>
      [
        ...report.added.map(({ name, version, file }) => `added ${name}@${version}: ${file}`),
        ...Object.entries(report.unknownTools).map(
          ([file, tools]) => `${file}: no tool here does what ${tools.join(', ')} did`,
        ),
        ...report.problems.map(
          ({ file, line, message }) => `not added: ${file}:${line}: ${message}`,
        ),
      ].join('\n'),
    );
    return report.problems.length === 0 ? 0 : 1;
  });
}

async function readText(path: string): Promise<string> {
  try {
    return String(await readRegularFile(path, { maxBytes: maxFileBytes }));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reportError(error).message}`);
  }
}

async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true ? filesIn(path) : [path];
}

/** The agents of a folder, of `.claude/agents` in it too. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const place of [
    folder,
    join(folder, '.claude', 'agents'),
    join(folder, '.github', 'agents'),
  ]) {
    const names = await readdir(place).catch(() => []);
    const fitting = names.filter((name) => name.endsWith('.md') && name !== 'README.md').sort();
    found.push(...fitting.map((name) => join(place, name)));
  }
  if (found.length === 0) throw new UsageError(`There are no agent files (*.md) in ${folder}`);
  return found;
}

const maxGoal = 60;

/** `tutti agents plan TASK…`: a task as a plan of agents and tools. */
function planTask(invocation: Invocation, words: Operands): Promise<number> {
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
function proposeNew(invocation: Invocation): Promise<number> {
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
    // A program decides by the document, and says --yes.
    if (output.isJson && options['yes'] !== true) {
      output.result({ proposals, added: [] }, () => '');
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
