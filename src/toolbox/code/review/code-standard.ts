import type { Language } from '../language.ts';

/** The limits a team sets itself. What is over a limit is an issue. */
export interface CodeStandard {
  readonly cyclomaticLimit: number;
  readonly cognitiveLimit: number;
  readonly nestingLimit: number;
  readonly parameterLimit: number;
  readonly functionLines: number;
  readonly fileLines: number;
}

export type CodeStandards = Readonly<Record<Language, CodeStandard>>;

const usual: CodeStandard = {
  cyclomaticLimit: 10,
  cognitiveLimit: 15,
  nestingLimit: 4,
  parameterLimit: 5,
  functionLines: 60,
  fileLines: 1_000,
};

/** What is used where a team has set nothing. */
export const defaultCodeStandards: CodeStandards = {
  python: usual,
  javascript: usual,
  typescript: usual,
  java: { ...usual, parameterLimit: 7 },
  go: { ...usual, functionLines: 80 },
  rust: { ...usual, parameterLimit: 7, functionLines: 100 },
  sql: usual,
  html: usual,
  css: usual,
};
