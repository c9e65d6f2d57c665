import type { CatalogueEntry, ListingFailure } from '../../contract/catalogue/index.ts';
import type { ProgressUpdate } from '../../contract/server/index.ts';
import { approvedBasisMetaKey, type PreviewEffect } from '../../contract/tool/index.ts';
import { type Clock, systemClock } from '../../kernel/index.ts';
import { askLine, isAtTerminal } from '../ask-line.ts';
import { ServerNotListedError, UnknownNameError, UsageError } from '../errors.ts';
import { createCallContext, type Invocation, textOption, withSystem } from '../invocation.ts';
import type { TextStream } from '../io.ts';
import { contentText, hideOnScreen } from '../output.ts';
import { clearLine, singleLine } from '../printable.ts';
import { parseJsonObject, readInput } from '../read-input.ts';
import { failureOf, showReport } from '../report-failure.ts';
import { checkArguments, parsePairs, toolArguments } from '../tool-arguments.ts';
import type { System } from '../../compose/index.ts';
import { countProgress } from './runs/live-tree.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  const [name = '', ...words] = invocation.operands;
  // Read before the system opens, so that a mistake here costs nothing.
  const given = await jsonArguments(invocation);
  const pairs = await parsePairs(words, io);
  return withSystem(invocation, {}, async (system) => {
    const { catalogue, preview } = system;
    const entries = await output.during(listing, catalogue.entries());
    const failures = catalogue.failures?.() ?? [];
    const failed = failures.find(({ server }) => isOf(server, name));
    const isListed = entries.some((it) => it.name === name || it.wireName === name);
    if (!isListed && (await isRefused(system.fleet, name))) {
      // The catalogue says why, and records it.
      const result = await catalogue.callTool(name, given, createCallContext(io));
      return showReport(failureOf(name, result), { io, isJson: output.isJson, tool: name });
    }
    const entry = findTool(entries, name, failed);
    const args = { ...given, ...toolArguments(entry.tool.inputSchema, pairs, entry.name) };
    // Ours say it themselves, and in more detail.
    if (entry.isOwn !== true) checkArguments(entry.tool.inputSchema, args, entry.name);
    const approved = await approve(invocation, preview, { entry, args });
    if (!approved) return notApproved(output);
    const bar = createProgressBar(io.stderr, systemClock);
    const context = {
      ...createCallContext(io, (update) => bar.update(update)),
      meta: approved.meta,
    };
    const call = catalogue.callTool(entry.wireName, args, context).finally(() => bar.clear());
    const result = await output.during(`Waiting for ${entry.name}`, call);
    if (result.isError === true) {
      const context = { io, isJson: output.isJson, tool: entry.name };
      return showReport(failureOf(entry.name, result), context);
    }
    const text = await hideOnScreen(contentText(result.content), invocation, system);
    output.data(result.structuredContent ?? { content: result.content }, () => text);
    return 0;
  });
}

const listing = 'Waiting for servers to list their tools';

/** Whether the name is that of a tool that is held back, or of a server that is disabled. */
async function isRefused(fleet: System['fleet'], name: string): Promise<boolean> {
  const statuses = await fleet.status();
  return statuses.some(({ name: server, state, changedTools }) => {
    if (!name.startsWith(`${server}.`) && !name.startsWith(`${server}__`)) return false;
    const tool = name.slice(server.length).replace(/^(?:\.|__)/, '');
    return state === 'disabled' || changedTools.some((it) => it.isHeld && it.tool === tool);
  });
}

interface WantedCall {
  readonly entry: CatalogueEntry;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * At a terminal, a call whose effect can be shown is shown and asked about once; undefined when the person
 * declines. What was shown travels with the call, so that nothing else is done. Without a terminal, with
 * `--json` or `--yes`, the command itself is the decision, as for the effects of any other tool.
 */
async function approve(
  { io, output, options }: Invocation,
  preview: PreviewEffect,
  { entry, args }: WantedCall,
): Promise<{ readonly meta: Readonly<Record<string, unknown>> } | undefined> {
  const isAsked = isAtTerminal(io) && !output.isJson && options['yes'] !== true;
  const { server, tool } = entry;
  if (!isAsked || tool.annotations?.readOnlyHint === true) return { meta: {} };
  const shown = await preview({ server, tool: tool.name, args }, io.signal);
  if (!shown) return { meta: {} };
  if (shown.changesNothing === true) return { meta: { [approvedBasisMetaKey]: shown.basis } };
  const question = `${shown.text.trimEnd()}\nDo it? [y]es, [n]o: `;
  const answer = (await askLine(io, question)) ?? '';
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) return undefined;
  return { meta: { [approvedBasisMetaKey]: shown.basis } };
}

function notApproved(output: Invocation['output']): number {
  output.note('Nothing was changed.');
  return declinedExitCode;
}

/** Refused by the user, as by a policy. */
const declinedExitCode = 3;

/** By dotted name, by wire name, or by bare name where only one server has it. */
function findTool(
  entries: readonly CatalogueEntry[],
  name: string,
  failed: ListingFailure | undefined,
): CatalogueEntry {
  const exact = entries.find((entry) => entry.name === name || entry.wireName === name);
  if (exact) return exact;
  const bare = entries.filter((entry) => entry.tool.name === name);
  const [only] = bare;
  if (only && bare.length === 1) return only;
  if (only) {
    const names = bare.map((entry) => entry.name).join(', ');
    throw new UsageError(`Several servers have a tool "${name}". Say which: ${names}`);
  }
  if (failed) throw new ServerNotListedError(name, failed);
  if (entries.some((entry) => entry.server === name)) {
    throw new UsageError(`"${name}" is a server, and "tutti call" wants one of its tools`, {
      hint: `\`tutti tools ${name}\` lists them.`,
    });
  }
  throw new UnknownNameError(
    'tool',
    name,
    entries.flatMap((entry) => [entry.name, entry.tool.name]),
  );
}

function isOf(server: string, tool: string): boolean {
  return tool.startsWith(`${server}.`) || tool.startsWith(`${server}__`);
}

async function jsonArguments(invocation: Invocation): Promise<Record<string, unknown>> {
  const file = textOption(invocation, 'argsFile');
  const text = textOption(invocation, 'args');
  return {
    ...(file !== undefined && parseJsonObject('--args-file', await readInput(file, invocation.io))),
    ...(text !== undefined && parseJsonObject('--args', text)),
  };
}

const quietMs = 1000;
const redrawMs = 100;
const barWidth = 24;

/** A bar on the terminal for a call that takes longer than a second; nothing when it is a pipe. */
interface ProgressBar {
  update(update: ProgressUpdate): void;
  /** Takes the bar off the screen. */
  clear(): void;
}

export function createProgressBar(stream: TextStream, clock: Clock): ProgressBar {
  const startedAt = clock.now();
  let drawnAt = 0;
  return {
    update: (update) => {
      const now = clock.now();
      if (stream.isTTY !== true || now - startedAt < quietMs || now - drawnAt < redrawMs) return;
      drawnAt = now;
      stream.write(`${clearLine}${drawBar(update, stream.columns ?? 80)}`);
    },
    clear: () => {
      if (drawnAt > 0) stream.write(clearLine);
    },
  };
}

function drawBar({ progress, total, message = '' }: ProgressUpdate, columns: number): string {
  const share = total === undefined || total <= 0 ? undefined : Math.min(progress / total, 1);
  const done = Math.round((share ?? 0) * barWidth);
  const bar = share === undefined ? '' : `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}] `;
  const count = countProgress(progress, total);
  return `${bar}${count} ${singleLine(message)}`.slice(0, Math.max(columns - 1, 0));
}
