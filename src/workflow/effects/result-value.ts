import type { ToolResult } from '../../contract/tool/index.ts';
import { textOf } from './call-failure.ts';

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
