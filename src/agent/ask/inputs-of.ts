import { collectInputs, type PlanInput } from '../propose/index.ts';
import { loadText } from './kept-texts.ts';
import { latestRemembered } from './latest-remembered.ts';
import type { Turn } from './turn.ts';

/** What plans of this turn can refer to: attachments, and the latest of each kind the conversation made. */
export function inputsOf({ parts, request, before, attachments }: Turn): PlanInput[] {
  const { caller } = request;
  return collectInputs(attachments, latestRemembered(before), (item) =>
    loadText(item, { parts, caller }),
  );
}
