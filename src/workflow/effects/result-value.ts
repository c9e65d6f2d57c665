import type { ToolResult } from '../../contract/tool/index.ts';
import { textOf } from './call-failure.ts';

/** What a call gave: the value later steps refer to, and what the tool says about it. */
export interface GivenResult {
  readonly value: unknown;
  readonly text?: string | undefined;
}

export function givenBy(result: ToolResult): GivenResult {
  return { value: resultValue(result), text: resultText(result) };
}

/**
 * What a step's output is: the structured content, or without one `{content, text, json?}`: its blocks,
 * all their text, and what that says where it is JSON.
 */
export function resultValue({ structuredContent, content }: ToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const text = textOf(content);
  const json = parseJson(text);
  return json === undefined ? { content, text } : { content, text, json };
}

/** A summary, not a second copy of the result: runs are replayed from the journal this is kept in. */
const maxTextChars = 8_000;

/**
 * What the tool says about its structured result; undefined where there is none to summarize, or where the
 * text is that result as JSON.
 */
function resultText({ structuredContent, content }: ToolResult): string | undefined {
  if (structuredContent === undefined) return undefined;
  const text = textOf(content);
  if (text === '' || beginsLikeDocument.test(text)) return undefined;
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}…`;
}

const beginsLikeDocument = /^\s*(?:\{\s*["}]|\[\s*[[{"\]\d-])/;

/** How JSON can begin; words are looked at whole, so that prose is not parsed in vain. */
const beginsLikeJson = /^\s*(?:[{["\-\d]|(?:true|false|null)\s*$)/;

function parseJson(text: string): unknown {
  if (!beginsLikeJson.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
