import type { AgentDefinition, AgentProblem } from '../../contract/agents/index.ts';
import type { Plan, PlanCheck, Step } from '../../contract/plan/index.ts';
import { nearest } from '../../kernel/index.ts';

/** Servers and plans as they are now. */
export interface AgentChecks {
  /** `server.tool`, all there are. */
  tools(): Promise<readonly string[]>;
  /** Servers that are there, whether they could be listed or not. */
  servers(): Promise<readonly string[]>;
  /** The check that plans pass before they run. */
  checkPlan(plan: Plan): Promise<PlanCheck>;
}

export interface CheckedAgent {
  readonly agent: AgentDefinition;
  /** Nothing where it can work. */
  readonly reason: string | null;
  readonly tools: readonly string[];
}

interface CheckRequest {
  readonly agent: AgentDefinition;
  readonly lineOf: (path: readonly PropertyKey[]) => number;
  /** The file was good before: what vanished since makes it unavailable, not wrong. */
  readonly known: { readonly tools: readonly string[]; readonly servers: readonly string[] };
  readonly checks: Pick<AgentChecks, 'checkPlan'>;
}

/**
 * Compares an agent with the tools there are. A name that no server of ours could ever have is the file's mistake;
 * a server that is not there now makes the agent wait for it.
 */
export async function checkAgent(
  request: CheckRequest,
): Promise<{ readonly checked?: CheckedAgent; readonly problems: readonly AgentProblem[] }> {
  const { agent, lineOf, known } = request;
  const problems: AgentProblem[] = [];
  const missing: string[] = [];
  const note = (at: readonly PropertyKey[], message: string): void => {
    problems.push({ file: agent.file, line: lineOf(at), message });
  };
  for (const [index, glob] of agent.tools.entries()) {
    if (!glob.includes('*') && !isForAgents(glob)) {
      note(['tools', index], `No agent may call ${glob}: remove it`);
    } else if (toolsOf(glob, known.tools).length === 0) {
      const server = glob.split('.')[0] ?? '';
      if (known.servers.includes(server) || server.includes('*'))
        note(['tools', index], unknownTool(glob, known.tools));
      else missing.push(glob);
    }
  }
  const tools = allowedTools(agent.tools, known.tools);
  if (problems.length === 0 && missing.length === 0)
    problems.push(...(await checkProcedures(request, tools)));
  if (problems.length > 0) return { problems };
  const reason = missing.length === 0 ? null : `no server has ${missing.join(', ')}`;
  return { checked: { agent, reason, tools }, problems };
}

function unknownTool(glob: string, tools: readonly string[]): string {
  const meant = nearest(glob, [...tools]);
  const hint = meant === undefined ? '"tutti tools" lists them' : `did you mean ${meant}?`;
  return `There is no tool ${glob}: ${hint}`;
}

async function checkProcedures(
  { agent, lineOf, checks }: CheckRequest,
  tools: readonly string[],
): Promise<readonly AgentProblem[]> {
  const problems: AgentProblem[] = [];
  for (const [name, { plan }] of Object.entries(agent.procedures)) {
    const at = ['procedures', name, 'plan'];
    for (const { index, tool } of toolsIn(plan)) {
      if (tools.includes(tool)) continue;
      const message = `The procedure for ${name} calls ${tool}, which "tools" does not allow: add it there`;
      problems.push({ file: agent.file, line: lineOf([...at, 'steps', index, 'tool']), message });
    }
    const { errors } = await checks.checkPlan(plan);
    for (const { step, path, message } of errors) {
      const where = step === null ? '' : ` in step "${step}"`;
      const line = lineOf([...at, ...pathOf(path)]);
      problems.push({
        file: agent.file,
        line,
        message: `The procedure for ${name} does not pass the check${where}: ${message}`,
      });
    }
  }
  return problems;
}

/** What the steps of a plan call, those of its sub-plans included; `index` is that of the outer step. */
export function toolsIn(plan: Plan): readonly { readonly index: number; readonly tool: string }[] {
  return plan.steps.flatMap((step, index) => toolsOfStep(step).map((tool) => ({ index, tool })));
}

function toolsOfStep(step: Step): readonly string[] {
  const own = step.agent === undefined ? step.tool : 'agent.delegate';
  const inner = typeof step.plan === 'object' ? toolsIn(step.plan).map(({ tool }) => tool) : [];
  return [
    ...(own === undefined ? [] : [own]),
    ...(step.reconcile ? [step.reconcile.tool] : []),
    ...inner,
  ];
}

/** `steps[2].args.code` as its parts. */
function pathOf(path: string): readonly PropertyKey[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = '']) =>
    index === undefined ? name : Number(index),
  );
}

/**
 * Tools that call whatever they are told to, decide for a person or change what Tutti is: no agent gets them, whatever
 * its file says. An agent reaches other agents by `agent.delegate` alone.
 */
const neverOfAgents: ReadonlySet<string> = new Set([
  'admin.call_tool',
  'admin.cancel_task',
  'agent.ask',
  'agent.create_context',
  'workflow.run_plan',
  'memory.forget',
  'memory.update',
  'debug.record_outcome',
]);

function isForAgents(tool: string): boolean {
  return !neverOfAgents.has(tool);
}

/** The tools of a list that a glob such as `code.scan_*` names. */
function toolsOf(glob: string, tools: Iterable<string>): readonly string[] {
  const pattern = new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replaceAll(/[.\\-]/g, '\\$&'))
      .join('.*')}$`,
  );
  return [...tools].filter((tool) => pattern.test(tool));
}

/** What an agent may call of the tools there are. */
function allowedTools(globs: readonly string[], tools: readonly string[]): readonly string[] {
  const named = new Set(globs.flatMap((glob) => toolsOf(glob, tools)));
  return [...named].filter(isForAgents).sort();
}
