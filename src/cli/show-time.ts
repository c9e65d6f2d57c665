import type { Io } from './io.ts';

/** An ISO time as this output shows it. */
export type ShowTime = (iso: string) => string;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "2 min ago" at a terminal; in a pipe the local date and minute, which sort. */
export function timeShower({ stdout }: Pick<Io, 'stdout'>, nowMs = Date.now()): ShowTime {
  return (iso) => {
    const ms = Date.parse(iso);
    if (Number.isNaN(ms)) return iso;
    return stdout.isTTY === true ? agoText(nowMs - ms, ms) : localMinute(ms);
  };
}

function agoText(agoMs: number, ms: number): string {
  if (agoMs < 0) return localMinute(ms);
  if (agoMs < minuteMs) return 'just now';
  if (agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min ago`;
  if (agoMs < dayMs) return `${Math.floor(agoMs / hourMs)} h ago`;
  if (agoMs < 2 * dayMs) return 'yesterday';
  return agoMs < 7 * dayMs ? `${Math.floor(agoMs / dayMs)} days ago` : localMinute(ms).slice(0, 10);
}

/** `2026-11-17 19:05`, by the clock on the wall. */
function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
