import type { PlanCandidate } from '../../contract/agent/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Step } from '../../contract/plan/index.ts';
import { recordOf } from '../../kernel/index.ts';
import { readCall } from '../calls/index.ts';
import { readExclusions, splitCode, type Exclusions } from '../intent/index.ts';
import type { Planner, PlanningAnswer, PlanningRequest } from '../planner/index.ts';

/** More files than these are not looked through for what is to be left out. */
const maxFiles = 5_000;

/**
 * A plan without a model: the call that a message spells out, else what the planner makes of it. What is to be left out
 * is no target; a plan whose tools cannot leave it out is offered, never sure.
 */
export async function planMessage(
  planner: Planner,
  request: PlanningRequest,
): Promise<PlanningAnswer> {
  const call = readCall(request);
  if (call) return call;
  return offerInstead(await planWords(planner, request), planner, request);
}

/** What no tool does comes with numbered plans for what helps instead, as one question: none of them is what was asked for. */
async function offerInstead(
  planned: PlanningAnswer,
  planner: Planner,
  request: PlanningRequest,
): Promise<PlanningAnswer> {
  if (planned.kind !== 'refusal' || !planned.offers) return planned;
  const context = { attachments: [], remembered: [], history: [] };
  const plans = await Promise.all(
    planned.offers.map((message) => planner.plan({ ...request, ...context, message })),
  );
  const candidates = plans.flatMap((one) =>
    'candidates' in one ? one.candidates.slice(0, 1) : [],
  );
  if (candidates.length === 0) return planned;
  const lines = candidates.map(({ why }, at) => `${at + 1}. ${why}`);
  const said = [planned.reason, ...lines, 'Answer with a number, or say something else.'];
  return { kind: 'question', questions: [said.join('\n')], candidates };
}

async function planWords(planner: Planner, request: PlanningRequest): Promise<PlanningAnswer> {
  const { message, files } = request;
  const isCode = splitCode(message).code !== undefined || message.includes('\n');
  const listed = isCode ? [] : await files.list(maxFiles);
  const exclusions = listed.length > 0 ? readExclusions(message, listed) : undefined;
  if (!exclusions) return planner.plan(request);
  const planned = await planner.plan({ ...request, message: exclusions.said });
  return (await leaveOut(planned, exclusions, request)) ?? planner.plan(request);
}

/** Undefined where nothing is to be left out of what is planned: something new is made, or no tool is called. */
async function leaveOut(
  planned: PlanningAnswer,
  exclusions: Exclusions,
  request: PlanningRequest,
): Promise<PlanningAnswer | undefined> {
  if (!('candidates' in planned)) return undefined;
  const { patterns, unknown } = exclusions;
  const tools = new Map(request.tools.map((entry) => [entry.name, entry]));
  const isMaker = ({ tool = '', args = {} }: Step): boolean =>
    takesText(tools.get(tool)) || 'content' in args || 'append' in args;
  if (planned.candidates.some(({ plan }) => plan.steps.some(isMaker))) return undefined;
  const read = await Promise.all(
    planned.candidates.map((one) => limitCandidate(one, exclusions, { request, tools })),
  );
  // Readings that can leave it out come before those that cannot.
  const able = read.filter(({ unable }) => unable === undefined);
  const shown = able.length > 0 ? able : read;
  const candidates = shown.map(({ candidate }) => candidate);
  if (!shown.some(({ isLimited }) => isLimited)) return { ...planned, candidates };
  const [unable] = shown.flatMap((one) => one.unable ?? []);
  if (unknown.length === 0 && !unable) return { ...planned, candidates };
  const names = unknown.map((name) => `"${name}"`).join(' and ');
  const question = unable
    ? `"${unable.tool.title ?? unable.name}" cannot leave out ${[...patterns, ...unknown].join(', ')}. Should it run with nothing left out?`
    : `No file or folder here is called ${names}, so it cannot be left out. What is meant?`;
  return { kind: 'question', questions: [question], candidates };
}

/** The reading with the exclusion as an argument of each step that looks at many files, and a step that takes none. */
async function limitCandidate(
  { plan, ...candidate }: PlanCandidate,
  { patterns }: Exclusions,
  { request, tools }: Parts,
) {
  const steps: Step[] = [];
  let unable: CatalogueEntry | undefined;
  let isLimited = false;
  for (const step of plan.steps) {
    const entry = tools.get(step.tool ?? '');
    const isMeant = entry !== undefined && (await looksAtMany(step, entry, request));
    const field = isMeant ? excludeFieldOf(entry) : undefined;
    if (isMeant && field === undefined) unable ??= entry;
    isLimited ||= isMeant;
    const isAdded = field !== undefined && patterns.length > 0;
    steps.push(isAdded ? { ...step, args: { ...step.args, [field]: [...patterns] } } : step);
  }
  const isSaid = isLimited && !unable && patterns.length > 0;
  const why = `${candidate.why}${isSaid ? ` Leaves out ${patterns.join(', ')}.` : ''}`;
  const limited = {
    ...candidate,
    why,
    plan: { ...plan, goal: request.message, steps },
  };
  return { candidate: limited, unable, isLimited };
}

interface Parts {
  readonly request: PlanningRequest;
  readonly tools: ReadonlyMap<string, CatalogueEntry>;
}

/** What to make, or a text to write, is the user's own words. */
function takesText(entry: CatalogueEntry | undefined): boolean {
  const required = entry?.tool.inputSchema['required'];
  const names = ['description', 'request', 'informal_request', 'content', 'task'];
  return Array.isArray(required) && names.some((name) => required.includes(name));
}

/** A step on a folder or the whole project, and not on one file or on what another step gives. */
async function looksAtMany(
  { args = {} }: Step,
  { tool }: CatalogueEntry,
  { files }: PlanningRequest,
): Promise<boolean> {
  const taken = JSON.stringify(args).replaceAll(/\$\{input\.\w+\}/gu, '');
  if (taken.includes('${') || 'content' in args || 'code' in args) return false;
  const { path } = args;
  const takesPlace = ['path', 'paths'].some(
    (name) => name in recordOf(tool.inputSchema['properties']),
  );
  if (typeof path !== 'string') return takesPlace;
  return (await files.kind(path)) !== 'file';
}

function excludeFieldOf({ tool }: CatalogueEntry): string | undefined {
  const fields = Object.entries(recordOf(tool.inputSchema['properties']));
  const isList = (schema: unknown): boolean => recordOf(schema)['type'] === 'array';
  return fields.find(([name, schema]) => name.startsWith('exclude') && isList(schema))?.[0];
}
