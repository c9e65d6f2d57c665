import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type {
  RunView,
  StepStatus,
  StepView,
  StoredOutput,
  Waiting,
} from '../../contract/run/index.ts';
import type { ShownRun } from '../../contract/run/index.ts';
import { shellWord } from '../../kernel/index.ts';
import { whyNotAsked } from './ask-approval.ts';

/** Steps in one answer; a run may have ten thousand. */
const maxSteps = 200;
const maxWaiting = 50;
/** JSON of all outputs in one answer, and of one of them: what is beyond goes by handle. */
const maxShownBytes = 65_536;
const maxOutputBytes = 16_384;
const previewChars = 500;

export interface ShowRunParts {
  readonly artifacts: Pick<Artifacts, 'put'>;
  readonly caller: Caller;
  /** The first step to show. */
  readonly offset?: number;
}

/** A run in a bounded answer: outputs that are too much for it become artifacts of the run. */
export async function showRun(view: RunView, parts: ShowRunParts): Promise<ShownRun> {
  const { input: _input, steps, output, waitingFor, ...rest } = view;
  const offset = parts.offset ?? 0;
  const all = Object.entries(steps);
  const budget = new OutputBudget(view.runId, parts);
  const result =
    output === undefined ? {} : await budget.show({ value: output, step: 'output', tool: null });
  const shown: [string, ShownRun['steps'][string]][] = [];
  for (const [path, step] of all.slice(offset, offset + maxSteps)) {
    shown.push([path, await showStep(path, step, budget)]);
  }
  const end = offset + shown.length;
  return {
    ...rest,
    ...result,
    steps: Object.fromEntries(shown),
    totalSteps: all.length,
    doneSteps: all.filter(([, { status }]) => isSettled(status)).length,
    ...(end < all.length && { nextOffset: end }),
    waitingFor: waitingFor
      .slice(0, maxWaiting)
      .map((waiting) => ({ ...waiting, commands: waitingCommands(view.runId, waiting) })),
    ...(view.error && { error: view.error }),
  };
}

export function isSettled(status: StepStatus): boolean {
  return ['succeeded', 'skipped', 'failed', 'cancelled'].includes(status);
}

async function showStep(
  path: string,
  { output, error, ...step }: StepView,
  budget: OutputBudget,
): Promise<ShownRun['steps'][string]> {
  const shown =
    output === undefined
      ? {}
      : await budget.show({ value: output, step: path, tool: step.tool ?? null });
  return { ...step, ...shown, ...(error && { error }) };
}

interface Output {
  readonly value: Json;
  readonly step: string;
  readonly tool: string | null;
}

/** What of the outputs of one run still has room in an answer. */
class OutputBudget {
  readonly #runId: string;
  readonly #parts: ShowRunParts;
  #left = maxShownBytes;

  constructor(runId: string, parts: ShowRunParts) {
    this.#runId = runId;
    this.#parts = parts;
  }

  async show({ value, step, tool }: Output): Promise<{ output: Json } | { stored: StoredOutput }> {
    const json = JSON.stringify(value);
    const bytes = Buffer.byteLength(json);
    if (bytes <= Math.min(maxOutputBytes, this.#left)) {
      this.#left -= bytes;
      return { output: value };
    }
    const { artifacts, caller } = this.#parts;
    const lineage = { runId: this.#runId, step, tool, argumentsDigest: null, inputs: [] };
    const isText = typeof value === 'string';
    const content = isText ? value : json;
    const mediaType = isText ? 'text/plain' : 'application/json';
    const ref = await artifacts.put(caller, { content, mediaType, lineage });
    return { stored: { ...ref, preview: content.slice(0, previewChars) } };
  }
}

/** What a person types to give a run what it waits for; one of these. */
export function waitingCommands(runId: string, waiting: Waiting): string[] {
  const step = shellWord(waiting.step);
  switch (waiting.kind) {
    case 'approval':
      return [
        // What was not shown as a whole is shown first, with the code that approves it.
        ...(whyNotAsked(waiting) === undefined ? [] : [`tutti runs show ${runId} ${step}`]),
        `tutti runs approve ${runId} ${step}`,
        `tutti runs deny ${runId} ${step}`,
      ];
    case 'signal':
      return [`tutti runs signal ${runId} ${shellWord(waiting.signal)} JSON`];
    case 'resolve': {
      const command = `tutti runs resolve ${runId} ${step}`;
      return [`${command} --happened`, `${command} --not-happened`];
    }
    case 'repair': {
      const command = `tutti runs repair ${runId} ${step}`;
      return [`${command} --args JSON`, `${command} --give-up`];
    }
  }
}

/** That a run waits, what a person types, and why the client was not asked where that is so. */
export function describeWaiting(runId: string, waiting: Waiting): string {
  const why = waiting.kind === 'approval' ? whyNotAsked(waiting) : undefined;
  const note = why === undefined ? '' : ` and cannot be approved here: ${why}`;
  const commands = waitingCommands(runId, waiting).join(' or ');
  return `waits for ${waiting.kind}${note}; a person gives it with: ${commands}`;
}

const maxListed = 20;
const maxErrorChars = 500;

/** A few lines about a run, for people and models. */
export function summarizeRun(run: ShownRun): string {
  const { runId, name, status, steps, totalSteps, doneSteps, waitingFor, error } = run;
  const entries = Object.entries(steps);
  const failed = entries.filter(([, step]) => step.status === 'failed').slice(0, maxListed);
  const stored = entries.flatMap(([path, step]) =>
    step.stored ? [[path, step.stored] as const] : [],
  );
  return [
    `Run ${runId}${name === null ? '' : ` (${name})`}: ${status}, ${doneSteps} of ${totalSteps} steps done`,
    ...(error ? [`${error.code}: ${error.message.slice(0, maxErrorChars)}`] : []),
    ...failed.map(
      ([path, step]) => `step ${path} failed: ${step.error?.message.slice(0, maxErrorChars) ?? ''}`,
    ),
    ...waitingFor
      .slice(0, maxListed)
      .map((waiting) => `step ${waiting.step} ${describeWaiting(runId, waiting)}`),
    ...stored
      .slice(0, maxListed)
      .map(([path, { id, bytes }]) => `output of ${path}: ${bytes} bytes, read_artifact ${id}`),
    ...(run.stored ? [`output: ${run.stored.bytes} bytes, read_artifact ${run.stored.id}`] : []),
    ...(run.output === undefined ? [] : [`output: ${JSON.stringify(run.output)}`]),
  ].join('\n');
}
