import type { Caller } from '../contract/caller/index.ts';
import type { Attempt } from '../contract/experience/index.ts';
import type { Json } from '../contract/plan/index.ts';
import { errorMetaKey, type ToolResult } from '../contract/tool/index.ts';
import type { RecordOutcome } from '../fleet/index.ts';
import { digestJson, recordOf, reportError, systemClock } from '../kernel/index.ts';
import { isSecretName } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import { type Recording, surroundingsOf } from './record-attempts.ts';
import { failedProgram, kindOfTool } from './step-attempt.ts';

export interface RecordCallsParts extends Recording {
  readonly store: { readonly experience: Pick<Store['experience'], 'openTargets'> };
}

/** Their failures are recorded where they happen: as steps, or not at all. */
const ofRuns = /^(?:workflow|agent|debug)\./;
/** What the caller may not do, or decided not to do, has no cure. */
const refusals =
  /^(?:access|gateway)\.|[._](?:forbidden|not_permitted|not_approved|approval\w*|cancelled|declined)$/;
/** How long it counts which calls of a caller have failed; other processes add to them. */
const openMs = 30_000;
const maxOpen = 1_000;
const maxCallers = 1_000;
const maxMainLength = 200;

interface OpenCalls {
  targets: ReadonlySet<string>;
  untilMs: number;
}

/**
 * Calls that were made directly, over MCP, REST or at the terminal, as attempts: the same tool with the same main
 * argument is the same target. Steps of runs report by themselves. A call that succeeds costs a look-up, unless
 * calls of its caller failed before.
 */
export function recordCalls({ experience, version, store }: RecordCallsParts): RecordOutcome {
  const open = new Map<string, OpenCalls>();
  const readOpen = async (caller: Caller): Promise<void> => {
    if (open.size >= maxCallers) open.clear();
    const known: OpenCalls = { targets: new Set(), untilMs: systemClock.now() + openMs };
    open.set(caller.id, known);
    const all = await store.experience.openTargets(caller, maxOpen).catch(() => []);
    known.targets = new Set([...known.targets, ...all.filter((one) => one.startsWith(prefix))]);
  };
  const succeeded = (caller: Caller, attempt: () => Attempt): void => {
    const known = open.get(caller.id);
    const isFresh = known !== undefined && systemClock.now() < known.untilMs;
    if (isFresh && known.targets.size === 0) return;
    if (!isFresh) void readOpen(caller);
    // Which of them it cures is found by its target, behind the call.
    experience.succeeded(caller, attempt());
  };
  return ({ entry, args, context, result, error }) => {
    const { face, caller } = context;
    if (face === undefined) return;
    const attempt = (): Attempt => attemptOf(entry, args, version);
    const failure = failureOf(entry.name, { result, error });
    if (failure === undefined) return succeeded(caller, attempt);
    if (context.signal.aborted || ofRuns.test(entry.name)) return;
    if (refusals.test(failure.error.code)) return;
    const failed = { ...attempt(), ...failure };
    experience.failed(caller, failed);
    const known = open.get(caller.id);
    if (known) known.targets = new Set([...known.targets, failed.target]);
  };
}

const prefix = 'call ';

function attemptOf(
  { name, tool }: Parameters<RecordOutcome>[0]['entry'],
  args: unknown,
  version: string,
): Attempt {
  const given = recordOf(args);
  const main = mainArgument(given, tool.inputSchema['required']);
  return {
    kind: kindOfTool(name, 'call'),
    subject: name,
    target: [`${prefix}${name}`, ...(main === undefined ? [] : [main])].join(' '),
    // Arguments of a call are JSON.
    arguments: given as Json,
    surroundings: surroundingsOf(version),
  };
}

/** The first text among the required arguments, else the first text, but no secret: what the call is about. */
function mainArgument(
  args: Readonly<Record<string, unknown>>,
  required: unknown,
): string | undefined {
  const names = [...(Array.isArray(required) ? required : []), ...Object.keys(args)].map(String);
  const main = names
    .filter((name) => !isSecretName(name))
    .map((name) => args[name])
    .find((value) => typeof value === 'string');
  return main === undefined || main.length <= maxMainLength ? main : digestJson(main);
}

function failureOf(
  tool: string,
  { result, error }: { readonly result?: ToolResult | undefined; readonly error?: unknown },
) {
  if (result === undefined) return { error: reportError(error) };
  if (result.isError !== true) return failedProgram(tool, result.structuredContent);
  const {
    code = 'workflow.tool_failed',
    message,
    details,
  } = recordOf(result._meta?.[errorMetaKey]);
  const texts = result.content.flatMap((block) => ('text' in block ? [String(block.text)] : []));
  const text = typeof message === 'string' ? message : texts.join('\n');
  return { error: { code: String(code), message: text, details: recordOf(details) } };
}
