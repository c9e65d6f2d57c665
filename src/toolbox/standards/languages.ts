import { z } from 'zod';
import { lookupTable } from '../../kernel/index.ts';
import data from './languages.json' with { type: 'json' };
import type { Snapshot } from './snapshot.ts';

const names = z.record(z.string(), z.string());

/** How people spell languages, what a test framework says about its language, and known style guides. */
const tables = z
  .strictObject({ aliases: names, frameworks: names, styles: z.array(z.string()) })
  .parse(data);
const aliases = lookupTable(tables.aliases);
const frameworks = lookupTable(tables.frameworks);

export const knownFrameworks: readonly string[] = Object.keys(frameworks);
export const knownStyles: readonly string[] = tables.styles;

const prefix = 'standards://';

/** Languages with a standard, in order. */
export function languagesOf(snapshot: Snapshot): string[] {
  return [...snapshot.texts.keys()]
    .filter((uri) => uri.startsWith(prefix))
    .map((uri) => uri.slice(prefix.length))
    .sort();
}

/** The name a standard is kept under, however people spell the language; `undefined` if there is none. */
export function resolveLanguage(snapshot: Snapshot, given: string): string | undefined {
  const lower = given.trim().toLowerCase();
  return [lower, aliases[lower]].find((name) => snapshot.texts.has(prefix + name));
}

export function languageOfFramework(framework: string): string | undefined {
  return frameworks[framework.trim().toLowerCase()];
}
