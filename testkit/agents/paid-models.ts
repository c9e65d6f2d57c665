import { modelLimitsOf, taskSpendingScope } from '../../src/contract/agents/index.ts';
import type { Caller } from '../../src/contract/caller/index.ts';
import { createModels, MemorySpendingStore } from '../../src/models/index.ts';
import { aScriptedModel } from '../models/scripted-model.ts';

/** US dollars for a token. */
export const tokenUsd = 0.001;
/** Tokens of one piece of an answer: a limit is passed by less than that. */
export const pieceTokens = 10;
const piece = 'abcd '.repeat(pieceTokens);
const price = { input: tokenUsd * 1_000_000, output: tokenUsd * 1_000_000 };

/** The real models with their limits, over one that writes as much as it is asked to. */
export class PaidModels {
  readonly spending = new MemorySpendingStore();
  readonly #models = createModels({
    configured: [
      aScriptedModel('a/m', [
        async ({ messages }, { onText }) => {
          const count = Number(messages.at(-1)?.content);
          for (let number = 0; number < count; number += 1) onText?.(piece);
          return { text: piece.repeat(count), finish: 'stop', usage: null };
        },
      ]),
    ],
    prices: { 'a/m': price },
    limits: { attempts: 1 },
    spending: this.spending,
  });

  /** Throws `models.budget_exceeded`. */
  async ask(
    { caller, meta }: { caller: Caller; meta: Readonly<Record<string, unknown>> },
    pieces: number,
  ): Promise<void> {
    const messages = [{ role: 'user' as const, content: String(pieces) }];
    const { signal } = new AbortController();
    await this.#models.text('agent', { messages }, { caller, signal, limits: modelLimitsOf(meta) });
  }

  spentBy = async (
    caller: Caller,
    ids: readonly string[],
  ): Promise<readonly { readonly tokens: number; readonly usd: number }[]> =>
    this.spending.spentBy(caller, ids.map(taskSpendingScope));
}
