import type { LocalModel } from '../contract/model/index.ts';
import { readShortReply } from '../kernel/index.ts';
import type { Output } from './output.ts';
import { singleLine } from './printable.ts';
import type { System } from '../compose/index.ts';

const maxModelsShown = 3;

/**
 * Offers, once, the servers of models that were found on this machine and that the user has not decided about. A
 * server gets nothing before yes. A line that is neither yes nor no decides nothing and is given back: it is what
 * the user wants. Where there is no one to ask, `tutti models` lists them.
 */
export async function offerModels(
  { localModels }: System,
  output: Pick<Output, 'note'>,
  ask: ((question: string) => Promise<string | undefined>) | undefined,
): Promise<string | undefined> {
  if (!ask || !localModels.isNeeded) return undefined;
  const open = (await localModels.find()).filter(({ isAccepted }) => isAccepted === null);
  for (const model of open) {
    const answer = await ask(
      `Found on this machine: ${describeLocalModel(model)}.\nIt would see your messages, files and results, and plan for you. Use it? [y/N] `,
    );
    if (answer === undefined) return undefined;
    const said = answer.trim() === '' ? 'no' : readShortReply(answer);
    if (said !== 'yes' && said !== 'no') {
      output.note(`Not decided; "tutti models use ${model.name}" accepts it.`);
      return answer;
    }
    await localModels.decide(model, said === 'yes');
    if (said === 'no') output.note(`Not used; "tutti models use ${model.name}" accepts it later.`);
  }
  return undefined;
}

export function describeUnused(model: LocalModel): string {
  return `Not used: ${describeLocalModel(model)}. "tutti models use ${model.name}" accepts it.`;
}

export function describeLocalModel({ name, url, ownerText, models }: LocalModel): string {
  const more = models.length > maxModelsShown ? ', …' : '';
  const named = models.slice(0, maxModelsShown).map(singleLine).join(', ');
  return `the model server "${name}" at ${url}, run by ${singleLine(ownerText)} (${named}${more})`;
}
