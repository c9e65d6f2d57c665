import { resolve } from 'node:path';
import { localCaller } from '../../contract/caller/index.ts';
import type {
  ContextDiff,
  Contexts,
  ContextVersion,
  NewContextItem,
  PackedContext,
  ShownContext,
} from '../../contract/context/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { UsageError } from '../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { cutText, formatColumns, type Paint, timeShower } from '../output.ts';
import { readInput } from '../read-input.ts';
import { actionsOf } from '../run-action.ts';
import { writeWhole } from '../write-whole.ts';
import type { System } from '../../compose/index.ts';
import { placeOf, readAttachment } from './chat/attachments.ts';

/** `tutti contexts`: texts for runs and the agent, in versions that never change. */
export const run = actionsOf('contexts', {
  list: { run: listContexts, takes: [], options: ['limit'] },
  create: { run: createContext, takes: ['NAME', 'ITEM…'], options: ['add', 'parent'] },
  show: { run: showContext, takes: ['CONTEXT'], options: [] },
  text: { run: packText, takes: ['CONTEXT'], options: ['tokens'] },
  versions: { run: listVersions, takes: ['CONTEXT'], options: ['limit'] },
  diff: { run: diffVersions, takes: ['CONTEXT', 'CONTEXT'], options: [] },
  export: { run: exportContext, takes: ['CONTEXT', 'FILE?'], options: ['force'] },
  import: { run: importContexts, takes: ['FILE'], options: [] },
  share: { run: shareContext, takes: ['NAME', 'CALLER'], options: [] },
  unshare: { run: unshareContext, takes: ['NAME', 'CALLER'], options: [] },
  remove: { run: removeContext, takes: ['CONTEXT'], options: [] },
});

const usualCount = 20;
/** `ctx-` and 12 digits. */
const shownIdChars = 16;
/** Longer texts are for `--json`. */
const maxShown = 4_000;

type Operands = readonly string[];

function inContexts(
  invocation: Invocation,
  work: (contexts: Contexts, system: System) => Promise<void>,
): Promise<number> {
  return withSystem(invocation, {}, async (system) => {
    await work(system.contexts, system);
    return 0;
  });
}

function listContexts(invocation: Invocation): Promise<number> {
  const limit = limitOption(invocation, usualCount);
  return inContexts(invocation, async (contexts) => {
    const listed = await contexts.list(localCaller, { limit });
    invocation.output.result(listed, () =>
      listed.length === 0
        ? 'There are no contexts: "tutti contexts create NAME @file" makes one'
        : rows(listed, invocation),
    );
  });
}

function rows(versions: readonly ContextVersion[], { io }: Invocation): string {
  const showTime = timeShower(io);
  return formatColumns(
    versions.map(({ id, name, number, owner, createdAt, items, tokens }) => [
      `${name}@${number}`,
      id.slice(0, shownIdChars),
      showTime(createdAt),
      pluralize(items, 'item'),
      pluralize(tokens, 'token'),
      owner === localCaller.id ? '' : `of ${owner}`,
    ]),
  );
}

function createContext(invocation: Invocation, [name = '', ...words]: Operands): Promise<number> {
  const parent = textOption(invocation, 'parent');
  return inContexts(invocation, async (contexts, system) => {
    const items: NewContextItem[] = [];
    for (const word of words) items.push(await readItem(word, invocation, system));
    const made = await contexts.create(localCaller, {
      name,
      items,
      isAddition: invocation.options['add'] === true,
      ...(parent !== undefined && { parent }),
    });
    invocation.output.result(made, () => describe(made));
  });
}

function describe({ id, name, number, items, tokens }: ContextVersion): string {
  return `${name}@${number}: ${pluralize(items, 'item')}, about ${pluralize(tokens, 'token')}\n${id}`;
}

/** `@file`, `-`, `session:ID`, `run:ID`, `artifact:ID`, `memory:ID`; anything else is a text. */
async function readItem(word: string, { io }: Invocation, system: System): Promise<NewContextItem> {
  if (word === '-') return { title: 'standard input', text: await readInput('-', io) };
  if (word.startsWith('@@')) return { text: word.slice(1) };
  if (word.startsWith('@')) {
    const { name, content } = await readAttachment(word.slice(1), placeOf(system, io));
    return { kind: 'file', title: name, text: content };
  }
  const [, kind, id = ''] = /^(session|run|artifact|memory):(\S+)$/.exec(word) ?? [];
  if (kind === 'session') return { session: id };
  if (kind === 'run') return { run: id };
  if (kind === 'artifact') return { artifact: id };
  return kind === 'memory' ? { memory: id } : { text: word };
}

function showContext(invocation: Invocation, [ref = '']: Operands): Promise<number> {
  return inContexts(invocation, async (contexts) => {
    const shown = await contexts.show(localCaller, ref);
    invocation.output.result(shown, () => contextText(shown, invocation.output.paint));
  });
}

function contextText({ context, parent, ...version }: ShownContext, paint: Paint): string {
  const from = parent === null ? [] : [paint.dim(`from ${parent}`)];
  const items = context.items.map(({ kind, title, text }, index) =>
    [`\n${paint.bold(`${index + 1} ${title}`)} ${paint.dim(kind)}`, cutText(text, maxShown)].join(
      '\n',
    ),
  );
  return [describe({ ...version, parent }), ...from, ...items].join('\n');
}

function packText(invocation: Invocation, [ref = '']: Operands): Promise<number> {
  const tokens = textOption(invocation, 'tokens');
  if (tokens !== undefined && !/^[1-9]\d{0,6}$/.test(tokens)) {
    throw new UsageError(`--tokens wants a number of tokens, and got "${tokens}"`);
  }
  const options = tokens === undefined ? {} : { maxTokens: Number(tokens) };
  return inContexts(invocation, async (contexts) => {
    const packed = await contexts.pack(localCaller, ref, options);
    invocation.output.data(packed, () => packed.text);
    for (const line of packingNotes(packed)) invocation.output.note(line);
  });
}

function packingNotes({ packed, leftOut, maxTokens, hiddenSecrets }: PackedContext): string[] {
  const cut = packed.filter(({ isCut }) => isCut);
  return [
    ...cut.map(({ title }) => `cut to fit into ${maxTokens} tokens: ${title}`),
    ...leftOut.map(({ title, tokens }) => `left out: ${title} (${pluralize(tokens, 'token')})`),
    ...(hiddenSecrets > 0 ? [`${pluralize(hiddenSecrets, 'secret')} hidden`] : []),
  ];
}

function listVersions(invocation: Invocation, [ref = '']: Operands): Promise<number> {
  const limit = limitOption(invocation, usualCount);
  return inContexts(invocation, async (contexts) => {
    const versions = await contexts.history(localCaller, ref, { limit });
    invocation.output.result(versions, () => rows(versions, invocation));
  });
}

function diffVersions(invocation: Invocation, [from = '', to = '']: Operands): Promise<number> {
  return inContexts(invocation, async (contexts) => {
    const diff = await contexts.diff(localCaller, from, to);
    invocation.output.result(diff, () => diffText(diff, invocation.output.paint));
  });
}

function diffText({ isSame, changes, unchanged }: ContextDiff, paint: Paint): string {
  if (isSame) return 'The items are the same';
  const shown = changes.map(
    ({ change, kind, title, patch }) => `${paint.bold(`${change} ${title}`)} (${kind})\n${patch}`,
  );
  const order = changes.length === 0 ? ['The order of the items differs'] : [];
  return [...shown, ...order, `${pluralize(unchanged, 'item')} unchanged`].join('\n');
}

/** One canonical text a line, oldest version first. */
function exportContext(invocation: Invocation, [ref = '', file]: Operands): Promise<number> {
  const { io, output, options } = invocation;
  return inContexts(invocation, async (contexts) => {
    const texts: string[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const page = await contexts.export(localCaller, ref, { offset });
      texts.push(...page.texts);
      offset = page.nextOffset;
    }
    const text = `${texts.join('\n')}\n`;
    if (file === undefined) return output.data(texts, () => text);
    const path = resolve(io.cwd, file);
    const isForced = options['force'] === true;
    await writeWhole(path, { what: 'The context', text, isForced });
    const report = { path, versions: texts.length, bytes: Buffer.byteLength(text) };
    output.result(report, () => `${pluralize(texts.length, 'version')} written to ${path}`);
  });
}

async function importContexts(invocation: Invocation, [file = '']: Operands): Promise<number> {
  const lines = (await readInput(file, invocation.io)).split('\n');
  const texts = lines.filter((line) => line.trim() !== '');
  return inContexts(invocation, async (contexts) => {
    const report = await contexts.import(localCaller, texts);
    const { added, known, latest } = report;
    invocation.output.result(
      report,
      () => `${pluralize(added, 'version')} imported, ${known} known before\n${describe(latest)}`,
    );
  });
}

function shareContext(invocation: Invocation, [name = '', caller = '']: Operands): Promise<number> {
  return inContexts(invocation, async (contexts) =>
    showShares(invocation, name, await contexts.share(localCaller, name, caller)),
  );
}

function unshareContext(
  invocation: Invocation,
  [name = '', caller = '']: Operands,
): Promise<number> {
  return inContexts(invocation, async (contexts) =>
    showShares(invocation, name, await contexts.unshare(localCaller, name, caller)),
  );
}

function showShares({ output }: Invocation, name: string, sharedWith: readonly string[]): void {
  const list = sharedWith.length === 0 ? 'no other caller' : sharedWith.join(', ');
  output.result({ name, sharedWith }, () => `${name} can be read by ${list}`);
}

function removeContext(invocation: Invocation, [ref = '']: Operands): Promise<number> {
  return inContexts(invocation, async (contexts) => {
    const removed = await contexts.remove(localCaller, ref);
    invocation.output.result({ removed }, () => `${pluralize(removed, 'version')} removed`);
  });
}
