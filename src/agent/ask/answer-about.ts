import type { RunSummary, RunView } from '../../contract/run/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { describeBadResults, describeFailure, resultsOfRun } from '../answer/index.ts';
import type { AboutTopic } from '../planner/index.ts';
import { isOfferable } from '../propose/index.ts';
import { answerAboutLastRun, lastRun, nothingRun } from './last-run.ts';
import { base, hideIn, plainReply, tell, type Reply, type Turn } from './turn.ts';

const maxRuns = 10;
const maxTitles = 8;

/** Answers a question about Tutti itself from what is known here, without a plan or a model. */
export async function answerAbout(turn: Turn, topic: AboutTopic): Promise<Reply> {
  const answer = await textFor(turn, topic);
  tell(turn, answer);
  return plainReply({ ...base(turn, { confidence: 1, model: null }), kind: 'answer', answer });
}

function textFor(turn: Turn, topic: AboutTopic): Promise<string> | string {
  switch (topic) {
    case 'capabilities':
      return capabilities(turn);
    case 'runs':
      return runs(turn);
    case 'failure':
      return failure(turn);
    case 'servers':
      return servers(turn);
    case 'model':
      return model(turn);
    case 'greeting':
      return 'Say what you would like to have done, or "help" to see what there is.';
    case 'key':
      return 'No key is needed without a model. A model of a provider needs one: "tutti models" shows which and how to connect it.';
    case 'data':
      return 'Conversations, runs and results are kept on this machine; "tutti doctor" shows where. Without a model no text or code is sent to one.';
    case 'version':
      return '"tutti --version" shows the version.';
    case 'client':
      return '"tutti connect" connects Tutti to the editors and MCP clients it finds on this machine.';
    case 'addServer':
      return 'Add an MCP server with: tutti servers add NAME -- COMMAND [ARGUMENTS], or tutti servers add NAME --url URL. "tutti import" takes over the servers of other MCP clients, and "tutti servers" lists what is there.';
  }
}

async function capabilities({ parts }: Turn): Promise<string> {
  const byServer = new Map<string, string[]>();
  for (const entry of (await parts.tools.entries()).filter(isOfferable)) {
    const title = entry.tool.title ?? entry.tool.annotations?.title ?? entry.tool.name;
    byServer.set(entry.server, [...(byServer.get(entry.server) ?? []), title]);
  }
  const lines = [...byServer].map(([server, titles]) => {
    const more = titles.length > maxTitles ? ` and ${titles.length - maxTitles} more` : '';
    return `- ${server}: ${titles.slice(0, maxTitles).join(', ')}${more}`;
  });
  return [
    'Say what you want done in plain words; I make a plan, show it, and run it when you agree. I can use these tools:',
    ...lines,
    'For example: "review src for security", "find secrets in this repo", "format main.py and save it", "run the tests".',
  ].join('\n');
}

async function runs(turn: Turn): Promise<string> {
  const { parts, request } = turn;
  const ofLast = await answerAboutLastRun(turn);
  if (ofLast !== undefined) return ofLast;
  const latest = await parts.workflows.list(request.caller, { limit: maxRuns, where: 'here' });
  const all = '"tutti runs" lists those of all folders.';
  if (latest.length === 0) return `${nothingRun} ${all}`;
  return [
    `The last ${pluralize(latest.length, 'run')} in this folder, newest first:`,
    ...latest.map(describeRun),
    all,
  ].join('\n');
}

function describeRun({ runId, status, goal, name, createdAt }: RunSummary): string {
  const time = createdAt.slice(0, 16).replace('T', ' ');
  return `- ${time} ${status}: ${(name ?? goal ?? 'without a title').split('\n')[0]} (${runId})`;
}

/** Why the run that the conversation is about failed, else the last run or direct call here. */
async function failure(turn: Turn): Promise<string> {
  const { parts, request } = turn;
  const { caller } = request;
  const call = await failedCall(turn);
  if (call !== undefined) return hideIn(call, turn);
  const here = { limit: 1, where: 'here' } as const;
  const [failed] = await parts.workflows.list(caller, { ...here, status: ['failed', 'cancelled'] });
  const view = await lastRun(turn);
  if (!view) return nothingRun;
  if (view.status === 'cancelled') return describeFailure(view);
  if (view.status === 'failed') return hideIn(await explained(turn, view), turn);
  const bad = describeBadResults(await resultsOfRun(view, await parts.artifacts(), caller));
  if (bad !== '') return hideIn(bad, turn);
  const status = view.status === 'succeeded' ? 'it succeeded' : `it is ${view.status}`;
  const earlier = failed ? ` The last that failed: tutti runs show ${failed.runId}` : '';
  return `The last run did not fail: ${status}.${earlier}`;
}

const asksForCall = /\bcalls?\b/iu;

/** Why the last direct call failed, where that is asked or nothing else failed later. */
async function failedCall(turn: Turn): Promise<string | undefined> {
  const { parts, request, before, words } = turn;
  const isAsked = asksForCall.test(words);
  const isAboutRun = before.turns.some(({ runId }) => runId !== undefined);
  if (isAboutRun && !isAsked) return undefined;
  const call = await parts.explainCall?.(request.caller);
  if (!call) return undefined;
  const here = { limit: 1, where: 'here' } as const;
  const [run] = await parts.workflows.list(request.caller, here);
  const isLater = !run || call.at > (run.endedAt ?? run.createdAt);
  return isLater || isAsked ? call.text : undefined;
}

/** The error, its cause and what cured it before. */
async function explained({ parts, request }: Turn, view: RunView): Promise<string> {
  const failed = describeFailure(view);
  try {
    const why = await parts.explainRun?.(request.caller, view.runId);
    return why === undefined ? failed : `${failed}\n\n${why}`;
  } catch (error) {
    parts.log.warn('failed to explain a run', { runId: view.runId, error });
    return failed;
  }
}

async function servers({ parts }: Turn): Promise<string> {
  const lines = (await parts.servers()).map(({ name, state, tools, lastError }) => {
    const problem = lastError === null ? '' : `; last error: ${lastError}`;
    return `- ${name}: ${state}, ${pluralize(tools, 'tool')}${problem}`;
  });
  return [...lines, 'Servers start when they are needed. "tutti servers" shows more.'].join('\n');
}

async function model({ parts, options }: Turn): Promise<string> {
  const found = await parts.models.find('agent', options.client);
  const used = found
    ? `The model "${found.name}" is connected.`
    : 'No model is connected: plans are made by rules, and no text or code leaves this machine for one.';
  return `${used} "tutti models" shows which models there are and how to connect one.`;
}
