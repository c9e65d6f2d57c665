import { localCaller } from '../../contract/caller/index.ts';
import {
  describeForgotten,
  memoryKindSchema,
  memoryStatusSchema,
  type MemoryExplanation,
  type MemoryFilter,
  type MemoryItem,
  type MemoryKind,
  type MemoryStatus,
} from '../../contract/memory/index.ts';
import type { System } from '../../compose/index.ts';
import { UnknownNameError, UsageError } from '../errors.ts';
import { elsewhere } from '../in-folder.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { cutText, type Paint, type ShowTime, timeShower } from '../output.ts';
import { actionsOf } from '../run-action.ts';

const found = ['limit', 'kind', 'status', 'sensitive'];
export const run = actionsOf('memory', {
  list: { run: listItems, takes: [], options: found },
  search: { run: searchItems, takes: ['WORDS…'], options: [...found, 'at'] },
  remember: { run: rememberItem, takes: ['WORDS…'], options: ['kind', 'sensitive', 'everywhere'] },
  correct: { run: correctItem, takes: ['ITEM', 'WORDS…'], options: [] },
  explain: { run: explainItem, takes: ['ITEM'], options: [] },
  accept: { run: acceptItems, takes: ['ITEM…'], options: [] },
  pin: { run: pinItem, takes: ['ITEM'], options: ['off'] },
  exclude: { run: excludeItem, takes: ['ITEM'], options: ['off'] },
  forget: { run: forgetItems, takes: ['ITEM…'], options: ['erase'] },
  erase: { run: eraseTraces, takes: [], options: [] },
});

const usualCount = 20;
const keptKinds = memoryKindSchema.options.filter((kind) => kind !== 'turn');
const maxShown = 400;

function listItems(invocation: Invocation): Promise<number> {
  // What was said on the way would hide what was given to be remembered.
  const filter = { kinds: keptKinds, ...filterOf(invocation) };
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async ({ memoryItems, folder }) => {
    const items = await memoryItems.list(localCaller, filter, { limit });
    const view = await viewOf(invocation, { folder });
    invocation.output.result(items, () =>
      items.length === 0
        ? 'Nothing is remembered: "tutti memory remember WORDS…" keeps something'
        : items.map((item) => itemText(item, view)).join('\n'),
    );
    return 0;
  });
}

function searchItems(invocation: Invocation, words: readonly string[]): Promise<number> {
  const at = textOption(invocation, 'at');
  if (at !== undefined && Number.isNaN(Date.parse(at))) {
    throw new UsageError(`--at wants a time as in 2026-01-31, and got "${at}"`);
  }
  const validAt = at === undefined ? {} : { validAt: new Date(at).toISOString() };
  const filter = { ...filterOf(invocation), ...validAt };
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async ({ memoryItems, folder }) => {
    const { signal } = invocation.io;
    const asked = { caller: localCaller, text: words.join(' '), filter, limit, signal };
    const answer = await memoryItems.search(asked);
    const view = await viewOf(invocation, { folder });
    invocation.output.result(answer, () =>
      [
        ...(answer.isAnswerable ? [] : ['Nothing that is remembered seems to answer this']),
        ...answer.hits.map(
          ({ item, receipt }) =>
            `${itemText(item, view)}\n${' '.repeat(4)}${view.paint.dim(receipt.because)}`,
        ),
      ].join('\n'),
    );
    return 0;
  });
}

function rememberItem(invocation: Invocation, words: readonly string[]): Promise<number> {
  const kind = kindOf(invocation);
  if (kind === 'turn') throw new UsageError('Turns are remembered by themselves');
  const isSensitive = invocation.options['sensitive'] === true;
  return change(invocation, 'Remembered', ({ memoryItems }) =>
    memoryItems.remember(localCaller, {
      ...typed(words),
      kind,
      isEverywhere: invocation.options['everywhere'] === true,
      sensitivity: isSensitive ? 'sensitive' : 'normal',
    }),
  );
}

function correctItem(
  invocation: Invocation,
  [id = '', ...words]: readonly string[],
): Promise<number> {
  return change(invocation, 'Corrected', ({ memoryItems }) =>
    memoryItems.correct(localCaller, id, typed(words)),
  );
}

function pinItem(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  const pinned = invocation.options['off'] !== true;
  return change(invocation, pinned ? 'Pinned' : 'Not pinned', ({ memoryItems }) =>
    memoryItems.pin(localCaller, id, pinned),
  );
}

function excludeItem(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  const isOff = invocation.options['off'] === true;
  return change(invocation, isOff ? 'Recalled again' : 'Excluded', ({ memoryItems }) =>
    memoryItems.setStatus(localCaller, id, isOff ? 'active' : 'excluded'),
  );
}

function acceptItems(invocation: Invocation, ids: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ memoryItems, folder }) => {
    const items: MemoryItem[] = [];
    for (const id of ids) items.push(await memoryItems.setStatus(localCaller, id, 'active'));
    const view = await viewOf(invocation, { folder });
    invocation.output.result(items, () =>
      items.map((item) => `Accepted ${itemText(item, view)}`).join('\n'),
    );
    return 0;
  });
}

function explainItem(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ memoryItems, folder }) => {
    const explanation = await memoryItems.explain(localCaller, id);
    const view = await viewOf(invocation, { folder });
    invocation.output.result(explanation, () => explanationText(explanation, view));
    return 0;
  });
}

function forgetItems(invocation: Invocation, ids: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ memoryItems }) => {
    const answer = await memoryItems.forget(localCaller, ids);
    const isErased = invocation.options['erase'] === true;
    if (isErased) await memoryItems.erase();
    invocation.output.result({ ...answer, isErased }, () => `Forgot ${describeForgotten(answer)}`);
    return 0;
  });
}

function eraseTraces(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ memoryItems }) => {
    await invocation.output.during('Writing the database anew', memoryItems.erase());
    invocation.output.result(
      { isErased: true },
      () => 'The database has no traces of what was forgotten',
    );
    return 0;
  });
}

const noVersions: Pick<MemoryExplanation, 'earlier'> = { earlier: [] };

function change(
  invocation: Invocation,
  done: string,
  work: (system: System) => Promise<MemoryItem>,
): Promise<number> {
  return withSystem(invocation, {}, async (system) => {
    const item = await work(system);
    const view = await viewOf(invocation, system);
    const { earlier } =
      item.supersedes === null
        ? noVersions
        : await system.memoryItems.explain(localCaller, item.id);
    const replaced = earlier.slice(0, 1).map((one) => `That replaces: ${itemText(one, view)}`);
    invocation.output.result(item, () =>
      [`${done}: ${itemText(item, view)}`, ...replaced].join('\n'),
    );
    return 0;
  });
}

/** What a person typed counts at once. */
function typed(words: readonly string[]) {
  const source = { kind: 'person', face: 'cli' } as const;
  return { text: words.join(' '), source, isVouchedFor: true } as const;
}

function filterOf(invocation: Invocation): MemoryFilter {
  const kind = kindOf(invocation);
  const isSensitive = invocation.options['sensitive'] === true;
  return {
    statuses: statusesOf(invocation),
    ...(kind !== undefined && { kinds: [kind] }),
    ...(isSensitive && { sensitivities: ['normal', 'sensitive'] as const }),
  };
}

function kindOf(invocation: Invocation): MemoryKind | undefined {
  const name = textOption(invocation, 'kind');
  const kind = memoryKindSchema.options.find((known) => known === name);
  if (name !== undefined && !kind) {
    throw new UnknownNameError('kind', name, memoryKindSchema.options);
  }
  return kind;
}

function statusesOf(invocation: Invocation): readonly MemoryStatus[] {
  const name = textOption(invocation, 'status') ?? 'active';
  if (name === 'all') return memoryStatusSchema.options;
  const status = memoryStatusSchema.options.find((known) => known === name);
  if (!status) throw new UnknownNameError('status', name, [...memoryStatusSchema.options, 'all']);
  return [status];
}

interface View {
  readonly paint: Paint;
  readonly showTime: ShowTime;
  readonly here: string | undefined;
}

async function viewOf(
  { io, output }: Invocation,
  { folder }: Pick<System, 'folder'>,
): Promise<View> {
  return { paint: output.paint, showTime: timeShower(io), here: await folder() };
}

function itemText(item: MemoryItem, { paint, showTime, here }: View): string {
  const marks = [
    item.kind,
    ...(item.status === 'active' ? [] : [item.status]),
    ...(item.pinned ? ['pinned'] : []),
    ...(item.sensitivity === 'sensitive' ? ['sensitive'] : []),
    ...(item.supersededBy === null ? [] : ['superseded']),
  ];
  const place = elsewhere(item.source, here);
  if (place !== undefined) marks.push(`in ${place}`);
  const about = paint.dim(`${showTime(item.observedAt)}  ${marks.join(', ')}`);
  return `${paint.bold(item.id)}  ${about}  ${oneLine(item.text)}`;
}

function oneLine(text: string): string {
  return cutText(text.replaceAll(/\s+/gu, ' '), maxShown);
}

function explanationText(
  { item, because, evidence, earlier, newer }: MemoryExplanation,
  view: View,
): string {
  return [
    itemText(item, view),
    because,
    ...(evidence === null ? [] : [`The source says: ${oneLine(evidence)}`]),
    ...(newer === null ? [] : [`Superseded by ${itemText(newer, view)}`]),
    ...earlier.map((version) => `Before: ${itemText(version, view)}`),
  ].join('\n');
}
