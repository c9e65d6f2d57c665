import { z } from 'zod';
import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { examplesMetaKey } from '../../../contract/tool/index.ts';
import { type Field, splitWords } from '../../search/word-index.ts';
import data from './synonyms.json' with { type: 'json' };

const maxExamples = 8;
const maxParameters = 30;
const maxTextChars = 4_000;
/** Embedding costs by length, and what a tool is for stands at the beginning. */
const maxPassageChars = 160;

/** What the word index knows of a tool. */
export function fieldsOf(entry: CatalogueEntry): Field[] {
  const { tool, server } = entry;
  return [
    { words: splitWords(tool.name), weight: 3 },
    { words: splitWords(server), weight: 1 },
    { words: splitWords(tool.title ?? ''), weight: 1.5 },
    { words: splitWords(tool.description ?? ''), weight: 1 },
    { words: examplesOf(entry).flatMap(splitWords), weight: 1 },
    { words: parametersOf(entry).flatMap(splitWords), weight: 1 },
  ];
}

/** What the meaning index knows of a tool: what it does, and each thing a user might say. */
export function passagesOf(entry: CatalogueEntry): string[] {
  const { tool } = entry;
  const name = tool.title ?? tool.name.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const description = (tool.description ?? '').replace(/\s+/g, ' ').trim();
  return [
    shortened(`${entry.server} ${name}: ${description}`),
    ...examplesOf(entry).map(shortened),
  ];
}

/** All that is known of a tool, as it is written. */
export function textOf(entry: CatalogueEntry): string {
  const { tool, server } = entry;
  const texts = [tool.name, tool.title ?? '', tool.description ?? '', server];
  return [...texts, ...examplesOf(entry), ...parametersOf(entry)].join(' ').slice(0, maxTextChars);
}

/** Whole words, so that the end of a passage means nothing it does not say. */
function shortened(text: string): string {
  if (text.length <= maxPassageChars) return text;
  const cut = text.lastIndexOf(' ', maxPassageChars);
  return text.slice(0, cut > 0 ? cut : maxPassageChars);
}

function examplesOf({ tool }: CatalogueEntry): string[] {
  const examples = tool._meta?.[examplesMetaKey];
  if (!Array.isArray(examples)) return [];
  return examples.filter((it): it is string => typeof it === 'string').slice(0, maxExamples);
}

function parametersOf({ tool }: CatalogueEntry): string[] {
  const { properties } = tool.inputSchema;
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.keys(properties).slice(0, maxParameters);
}

/** Endings of files that say what is in them. */
const kinds: readonly (readonly [endings: RegExp, kind: string])[] = [
  [/^(?:png|jpe?g|gif|webp|svg|bmp|heic)$/i, 'image'],
  [/^(?:mp3|wav|ogg|flac|m4a)$/i, 'audio'],
  [/^(?:mp4|mov|mkv|webm)$/i, 'video'],
  [/^(?:db|sqlite3?)$/i, 'database'],
  [/^(?:py|[cm]?[jt]sx?|go|rs|java|rb|cpp?|css|html?)$/i, 'code'],
  [/^(?:txt|md|log|ya?ml|json|toml|ini|env|csv|xml|docx?|pdf|sh|tar|gz|zip)$/i, ''],
];

const maxNameChars = 200;

/**
 * The query with names of files replaced by what they are: `login.png` is an image file, and neither a
 * login nor a place. A query that is SQL says so.
 */
export function plainQuery(query: string): string {
  const plain = query
    .split(/\s+/)
    .map((word) => fileWords(word) ?? word)
    .join(' ');
  const isSql = /^\s*(?:select|insert into|update|delete from|create table|with)\s/i.test(query);
  return isSql && /\b(?:from|set|values|table)\b/i.test(query) ? `SQL query: ${plain}` : plain;
}

function fileWords(word: string): string | undefined {
  if (word.length > maxNameChars) return undefined;
  const ending = /^["'(]*[\w*~@./\\-]*\.(\w{1,7})["'),?!.:;]*$/.exec(word)?.[1];
  if (ending !== undefined) {
    const kind = kinds.find(([endings]) => endings.test(ending))?.[1];
    if (kind !== undefined) return kind === '' ? 'file' : `${kind} file`;
  }
  return /^["'(]*[\w.~-]*\/[\w./-]*["'),?!]*$/.test(word) ? 'folder' : undefined;
}

/** Words that people use for one another when they say what they want done; each line is one meaning. */
const meanings = z.array(z.string().regex(/^[a-z0-9]+(?: [a-z0-9]+)+$/)).parse(data);

/** How much a word counts that stands for one the user said. */
const synonymWeight = 0.6;

/** The words of a query with the weight of each: 1 for its own, less for those that mean the same. */
export function withSynonyms(
  words: readonly string[],
  synonyms: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) weights.set(word, 1);
  for (const word of words) {
    for (const other of synonyms.get(word) ?? []) {
      if (!weights.has(other)) weights.set(other, synonymWeight);
    }
  }
  return weights;
}

/** By word, those that mean the same. */
export function readSynonyms(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const line of meanings) {
    const words = splitWords(line);
    for (const word of words) groups.set(word, [...(groups.get(word) ?? []), ...words]);
  }
  return groups;
}
