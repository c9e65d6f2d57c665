import type { Tool } from '../../contract/tool/index.ts';

/**
 * A tool whose descriptions name its siblings as clients know them: `call_tool` reads `admin__call_tool`. Names of
 * one word are left alone, because they are ordinary words, too.
 */
export function withWireNames(tool: Tool, wireNames: ReadonlyMap<string, string>): Tool {
  const names = [...wireNames.keys()].filter((name) => /^\w+_\w+$/.test(name));
  if (names.length === 0) return tool;
  const pattern = new RegExp(`\\b(?:${names.join('|')})\\b`, 'g');
  const rewrite = (text: string): string =>
    text.replaceAll(pattern, (name) => wireNames.get(name) ?? name);
  return {
    ...tool,
    ...(tool.description !== undefined && { description: rewrite(tool.description) }),
    inputSchema: Object(rewriteDescriptions(tool.inputSchema, rewrite)),
    ...(tool.outputSchema && {
      outputSchema: Object(rewriteDescriptions(tool.outputSchema, rewrite)),
    }),
  };
}

/** Schemas of our own tools, which are not nested without end. */
function rewriteDescriptions(value: unknown, rewrite: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteDescriptions(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'description' && typeof inner === 'string'
        ? rewrite(inner)
        : rewriteDescriptions(inner, rewrite),
    ]),
  );
}
