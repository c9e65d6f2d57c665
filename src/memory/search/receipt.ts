import type { MemoryItem, MemoryReceipt } from '../../contract/memory/index.ts';
import { wordsOf } from '../converse/words.ts';
import { describeOrigin } from '../items/describe-origin.ts';
import type { Fit } from './rank-items.ts';
import type { ReadQuery } from './read-query.ts';

const dayMs = 86_400_000;

/** Why an item was found, for programs and as a sentence. */
export function receiptOf({
  item,
  fit,
  isSuperseded,
  read,
  nowMs,
}: {
  readonly item: MemoryItem;
  readonly fit: Fit;
  readonly isSuperseded: boolean;
  readonly read: ReadQuery;
  readonly nowMs: number;
}): MemoryReceipt {
  const own = new Set(wordsOf(item.text));
  const words = read.words.filter((word) => wordsOf(word).some((form) => own.has(form)));
  const ageDays = Math.max(0, Math.floor((nowMs - Date.parse(item.observedAt)) / dayMs));
  const { likeness } = fit;
  const reasons = [
    ...(words.length > 0 ? [`shares ${words.map((word) => `"${word}"`).join(', ')}`] : []),
    ...(likeness === null ? [] : [`likeness ${likeness.toFixed(2)}`]),
    ...(words.length === 0 && likeness === null ? ['next to a turn that matches'] : []),
    // Of an item that is superseded itself the origin says so.
    ...(isSuperseded && item.validUntil === null ? ['what it says is superseded'] : []),
  ];
  const because = [describeOrigin(item, nowMs), ...reasons].join('; ');
  return { words, likeness, ageDays, isSuperseded, source: item.source, because };
}
