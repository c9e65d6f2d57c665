/** The lists a client asks for at the beginning. Asking for one changes nothing. */
export const firstLists: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
];

/** The line that answers a request with a result, which is JSON text. */
export function resultLine(id: string | number, result: string): string {
  return `${head(id)}${result}}`;
}

/** The result in such a line; undefined when the line is something else. */
export function resultOf(id: string | number, line: string | undefined): string | undefined {
  return line?.startsWith(head(id)) === true ? line.slice(head(id).length, -1) : undefined;
}

function head(id: string | number): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
}
