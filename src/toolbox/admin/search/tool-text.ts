import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { examplesMetaKey } from '../../../contract/tool/index.ts';
import { splitWords } from '../../search/split-words.ts';
import type { Field } from '../../search/word-index.ts';

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
