import type { Paint } from '../../src/cli/output.ts';

/** Writing without colours. */
export function createColours(): Paint {
  const plain = (text: string): string => text;
  return { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };
}
