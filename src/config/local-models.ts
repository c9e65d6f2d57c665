import { z } from 'zod';
import { listFile } from './locked-file.ts';

/** The user's decision about a model server at an address of this machine, run by `owner`. */
export interface ModelDecision {
  readonly url: string;
  readonly owner: string;
  readonly isAccepted: boolean;
  readonly decidedAt: string;
}

const decisions = listFile<ModelDecision>({
  name: 'local-models.json',
  key: 'models',
  item: z.object({
    url: z.string(),
    owner: z.string(),
    isAccepted: z.boolean(),
    decidedAt: z.string(),
  }),
});

/** All decisions. A damaged file accepts nothing. */
export const readModelDecisions = decisions.read;

/** Replaces an earlier decision about the same address. */
export async function keepModelDecision(home: string, decision: ModelDecision): Promise<void> {
  await decisions.change(home, (models) => [
    ...models.filter(({ url }) => url !== decision.url),
    decision,
  ]);
}
