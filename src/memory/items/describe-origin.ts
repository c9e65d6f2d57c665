import type { MemoryItem } from '../../contract/memory/index.ts';
import { pluralize } from '../../kernel/index.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Why an item is known, as one sentence: `You said it in session ab12, turn 7, 3 days ago.` */
export function describeOrigin(item: MemoryItem, nowMs: number): string {
  const age = describeAge(nowMs - Date.parse(item.observedAt));
  const { folder } = item.source;
  const place = folder === undefined ? '' : ` in ${folder}`;
  return [`${describeSource(item)}${place}, ${age}`, ...remarksOn(item)].join('; ');
}

function describeSource({ source }: MemoryItem): string {
  switch (source.kind) {
    case 'turn': {
      const speaker = source.role === 'user' ? 'You said it' : 'The assistant said it';
      return `${speaker} in session ${source.session}, turn ${source.turn}`;
    }
    case 'run':
      return source.step === undefined
        ? `It comes from run ${source.runId}`
        : `It comes from step ${source.step} of run ${source.runId}`;
    case 'file':
      return `It was read in ${source.path}`;
    case 'person':
      return `It was given ${faces[source.face]}`;
  }
}

const faces = { cli: 'at the terminal', rest: 'over REST', mcp: 'by an MCP client' } as const;

function remarksOn(item: MemoryItem): string[] {
  return [
    ...(item.status === 'candidate' ? ['a candidate, which a person has not accepted yet'] : []),
    ...(item.status === 'excluded' ? ['excluded from recall'] : []),
    ...(item.pinned ? ['pinned'] : []),
    ...(item.supersededBy === null ? [] : [`superseded by ${item.supersededBy}`]),
    ...(item.supersededBy === null && item.validUntil !== null
      ? [`valid until ${item.validUntil.slice(0, 10)}`]
      : []),
  ];
}

/** `3 days ago` */
export function describeAge(ageMs: number): string {
  if (ageMs < minuteMs) return 'just now';
  if (ageMs < hourMs) return `${pluralize(Math.floor(ageMs / minuteMs), 'minute')} ago`;
  if (ageMs < dayMs) return `${pluralize(Math.floor(ageMs / hourMs), 'hour')} ago`;
  return `${pluralize(Math.floor(ageMs / dayMs), 'day')} ago`;
}
