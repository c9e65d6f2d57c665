import type { LocalModel } from '../contract/model/index.ts';
import type { Output } from './output.ts';
import { singleLine } from './printable.ts';
import type { System } from './system.ts';

const maxModelsShown = 3;

/**
 * Offers, once, the servers of models that were found on this machine and that the user has not decided about. Where there is no one to
 * ask, says in a sentence how to accept one. A server gets nothing before yes.
 */
export async function offerModels(
  { localModels }: System,
  output: Pick<Output, 'note'>,
  ask?: (question: string) => Promise<string | undefined>,
): Promise<void> {
  if (!localModels.isNeeded) return;
  const open = (await localModels.find()).filter(({ isAccepted }) => isAccepted === null);
  for (const model of open) {
    if (!ask) {
      output.note(describeUnused(model));
      continue;
    }
    const answer = await ask(
      `Found on this machine: ${describeLocalModel(model)}.\nIt would see your messages, files and results, and plan for you. Use it? [y/N] `,
    );
    if (answer === undefined) return;
    const isAccepted = /^\s*y(?:es)?\s*$/i.test(answer);
    await localModels.decide(model, isAccepted);
    if (!isAccepted) output.note(`Not used; "tutti models use ${model.name}" accepts it later.`);
  }
}

export function describeUnused(model: LocalModel): string {
  return `Not used: ${describeLocalModel(model)}. "tutti models use ${model.name}" accepts it.`;
}

export function describeLocalModel({ name, url, ownerText, models }: LocalModel): string {
  const more = models.length > maxModelsShown ? ', …' : '';
  const named = models.slice(0, maxModelsShown).map(singleLine).join(', ');
  return `the model server "${name}" at ${url}, run by ${singleLine(ownerText)} (${named}${more})`;
}
