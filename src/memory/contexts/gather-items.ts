import type { Caller } from '../../contract/caller/index.ts';
import {
  newContextItemSchema,
  type ContextItem,
  type NewContextItem,
} from '../../contract/context/index.ts';
import type { RunView, StepView } from '../../contract/run/index.ts';
import type { Session } from '../../contract/session/index.ts';
import { InvalidContextError } from '../errors.ts';

/** Where the texts of items are taken from. Each throws its own error for what the caller does not have. */
export interface ContextSources {
  session(caller: Caller, id: string): Promise<Session>;
  run(caller: Caller, id: string): Promise<RunView>;
  artifact(caller: Caller, id: string): Promise<Uint8Array>;
  /** A remembered item. */
  memory?(caller: Caller, id: string): Promise<{ readonly id: string; readonly text: string }>;
}

const maxTitleChars = 300;
const maxDerivedTitleChars = 60;
/** The end of a longer conversation is taken, the beginning of any other text. */
const maxTextChars = 1_048_576;

/** The items with their texts as they are now. */
export async function gatherItems(
  caller: Caller,
  given: readonly NewContextItem[],
  sources: ContextSources,
): Promise<ContextItem[]> {
  const gathered: ContextItem[] = [];
  for (const item of given) gathered.push(...(await gatherItem(caller, item, sources)));
  return gathered;
}

async function gatherItem(
  caller: Caller,
  given: NewContextItem,
  sources: ContextSources,
): Promise<ContextItem[]> {
  const item = newContextItemSchema.parse(given);
  if ('text' in item) {
    const { kind = 'text', text, title = titleOf(text) } = item;
    return [{ kind, text, title, ...(kind === 'file' && { source: title }) }];
  }
  if ('session' in item) return [sessionItem(await sources.session(caller, item.session))];
  if ('run' in item) return runItems(caller, await sources.run(caller, item.run), sources);
  if ('artifact' in item) {
    const { artifact: id } = item;
    const text = textOf(id, await sources.artifact(caller, id));
    return [{ kind: 'artifact', title: `artifact ${id}`, text, source: id }];
  }
  if (!sources.memory) {
    throw new InvalidContextError('The context was not made', ['there is no memory to take from']);
  }
  const { id, text } = await sources.memory(caller, item.memory);
  return [{ kind: 'memory', title: titleOf(text), text, source: id }];
}

function titleOf(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  const short = line.slice(0, maxDerivedTitleChars).trim();
  return short === '' ? 'untitled' : short;
}

function sessionItem({ id, title, turns }: Session): ContextItem {
  const said = turns.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
  return {
    kind: 'session',
    title: (title === '' ? `session ${id}` : title).slice(0, maxTitleChars),
    text: said.slice(-maxTextChars),
    source: `session:${id}`,
  };
}

/** Its output; where the plan names none, the outputs of its steps. */
async function runItems(
  caller: Caller,
  run: RunView,
  sources: ContextSources,
): Promise<ContextItem[]> {
  const name = (run.name ?? `run ${run.runId}`).slice(0, maxTitleChars / 2);
  const source = `run:${run.runId}`;
  if (run.output !== undefined && run.output !== null) {
    return [{ kind: 'run', title: name, text: jsonText(run.output), source }];
  }
  const items: ContextItem[] = [];
  for (const [path, step] of Object.entries(run.steps)) {
    const text = await stepText(caller, step, sources);
    const short = path.slice(0, maxTitleChars / 4);
    if (text === undefined) continue;
    items.push({ kind: 'run', title: `${name}: ${short}`, text, source: `${source}#${short}` });
  }
  if (items.length > 0) return items;
  throw new InvalidContextError('The context was not made', [
    `run ${run.runId} has no output; it is ${run.status}`,
  ]);
}

async function stepText(
  caller: Caller,
  { status, output, stored, text }: StepView,
  sources: ContextSources,
): Promise<string | undefined> {
  if (status !== 'succeeded') return undefined;
  if (stored) return textOf(stored.id, await sources.artifact(caller, stored.id));
  if (output !== undefined && output !== null) return jsonText(output);
  return text;
}

function jsonText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.slice(0, maxTextChars);
}

function textOf(id: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).slice(0, maxTextChars);
  } catch {
    throw new InvalidContextError('The context was not made', [`artifact ${id} is not UTF-8 text`]);
  }
}
