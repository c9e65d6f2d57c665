import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import type { Context, ContextDiff, ContextItem } from '../../contract/context/index.ts';
import { cutMiddle } from '../../kernel/index.ts';

type Change = ContextDiff['changes'][number];

/** Texts that differ in more lines are shown as replaced, which takes no long search. */
const maxChangedLines = 2_000;
const maxPatchChars = 100_000;

/** What changed between two versions; items are the same by kind and title, those of one title in their order. */
export function diffContexts(
  from: Context,
  to: Context,
): Pick<ContextDiff, 'isSame' | 'unchanged' | 'changes'> {
  const before = byKey(from.items);
  const after = byKey(to.items);
  const changes: Change[] = [];
  let unchanged = 0;
  for (const [key, item] of before) {
    const other = after.get(key);
    if (!other) changes.push(changeOf('removed', item, { before: item.text, after: '' }));
    else if (other.text === item.text && other.source === item.source) unchanged += 1;
    else changes.push(changeOf('changed', item, { before: item.text, after: other.text }));
  }
  for (const [key, item] of after) {
    if (!before.has(key)) changes.push(changeOf('added', item, { before: '', after: item.text }));
  }
  const isInOrder = [...before.keys()].join('\n') === [...after.keys()].join('\n');
  return { isSame: changes.length === 0 && isInOrder, unchanged, changes };
}

function byKey(items: readonly ContextItem[]): ReadonlyMap<string, ContextItem> {
  const keyed = new Map<string, ContextItem>();
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = JSON.stringify([item.kind, item.title]);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    keyed.set(`${name} ${count}`, item);
  }
  return keyed;
}

function changeOf(
  change: Change['change'],
  { kind, title }: ContextItem,
  { before, after }: { readonly before: string; readonly after: string },
): Change {
  const options = { context: 3, maxEditLength: maxChangedLines } as const;
  const patch = structuredPatch(title, title, before, after, '', '', options);
  const text = patch
    ? formatPatch(patch, OMIT_HEADERS)
    : `(more than ${maxChangedLines} lines differ)`;
  return { change, kind, title, patch: cutMiddle(text, maxPatchChars) };
}
