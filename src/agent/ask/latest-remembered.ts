import type { Remembered, Session } from '../../contract/session/index.ts';
import { plainLanguage } from '../intent/index.ts';

const maxTurnsBack = 200;

/** The latest of each kind, newest first, with all of their contents. */
export function latestRemembered({ turns }: Session): Remembered[] {
  const latest = new Map<string, Remembered>();
  for (const turn of turns.slice(-maxTurnsBack).toReversed()) {
    for (const item of turn.remembered.toReversed()) {
      const { language, ...rest } = item;
      if (!latest.has(item.kind)) latest.set(item.kind, { ...rest, ...plainLanguage(language) });
    }
  }
  return [...latest.values()];
}
