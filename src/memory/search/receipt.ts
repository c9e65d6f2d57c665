import type { MemoryItem, MemoryReceipt, MemorySource } from '../../contract/memory/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { wordsOf } from '../converse/words.ts';
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
    ...(isSuperseded ? ['superseded since'] : []),
  ];
  const because = `${describeSource(item.source)} ${describeAge(ageDays)}; ${reasons.join('; ')}`;
  return { words, likeness, ageDays, isSuperseded, source: item.source, because };
}

function describeAge(days: number): string {
  if (days === 0) return 'today';
  return days === 1 ? 'yesterday' : `${pluralize(days, 'day')} ago`;
}

function describeSource(source: MemorySource): string {
  switch (source.kind) {
    case 'turn': {
      const who = source.role === 'user' ? 'you said it' : 'the assistant said it';
      return `${who} in session ${source.session} (turn ${source.turn})`;
    }
    case 'run':
      return `noted in run ${source.runId}`;
    case 'file':
      return `read in ${source.path}`;
    case 'person':
      return 'you noted it';
  }
}
