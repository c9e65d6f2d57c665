import type { Spending } from './spending-store.ts';

/** US dollars per million tokens; null where they are not known. */
export interface ModelPrice {
  readonly input: number | null;
  readonly output: number | null;
}

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const unknownPrice: ModelPrice = { input: null, output: null };
export const noSpending: Spending = { tokens: 0, usd: 0 };
const million = 1_000_000;

export function spendingOf(used: Tokens, price: ModelPrice): Spending {
  return { tokens: used.inputTokens + used.outputTokens, usd: costOf(used, price) ?? 0 };
}

/** US dollars; null where the price is not known. */
export function costOf(
  { inputTokens, outputTokens }: Tokens,
  { input, output }: ModelPrice,
): number | null {
  if (input === null || output === null) return null;
  return (inputTokens * input + outputTokens * output) / million;
}

export function addSpending(one: Spending, other: Spending, sign: 1 | -1 = 1): Spending {
  return { tokens: one.tokens + sign * other.tokens, usd: one.usd + sign * other.usd };
}
