import type { Json } from '../../contract/plan/index.ts';
import { lookupTable } from '../../kernel/index.ts';

const unitsMs: Readonly<Record<string, number>> = lookupTable({
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
});

/** Ten years: whoever writes more made a mistake with the unit. */
const maxMs = 315_360_000_000;

/** Milliseconds of a number of them or a text such as `90s`; undefined when it is neither. */
export function parseDuration(value: Json): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)?\s*$/.exec(String(value));
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * (unitsMs[match[2] ?? 'ms'] ?? 1));
  return ms <= maxMs ? ms : undefined;
}
