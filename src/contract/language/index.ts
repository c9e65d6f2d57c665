/** The languages the code tools speak (C7 of the mission). */
export const languages = [
  'python',
  'javascript',
  'typescript',
  'java',
  'go',
  'rust',
  'sql',
  'html',
  'css',
] as const;

export type Language = (typeof languages)[number];

export { testPath } from './test-path.ts';
