import { nearest } from '../../kernel/index.ts';
import type { ToolLookup } from './tool-lookup.ts';

const maxNames = 12;
/** Looking for the nearest name takes time for each tool there is. */
const maxHints = 20;

/** Makes the sentence about a tool that is not there, with the name that was most likely meant. */
export function createUnknownToolDescription(tools: ToolLookup): (name: string) => string {
  const described = new Map<string, string>();
  return (name) => {
    const known = described.get(name);
    if (known !== undefined) return known;
    const message = describe(name, tools, described.size < maxHints);
    described.set(name, message);
    return message;
  };
}

function describe(name: string, tools: ToolLookup, hasHint: boolean): string {
  const [server = ''] = name.split('.', 1);
  const failure = tools.failureOf?.(server);
  if (failure !== undefined) {
    return `The tools of server "${server}" could not be listed, so "${name}" cannot be checked: ${failure}. See "tutti servers"`;
  }
  if (!hasHint) return `There is no tool "${name}". "tutti tools" lists what there is`;
  const names = tools.names();
  const close =
    nearest(name.replaceAll('__', '.'), names) ?? names.find((other) => other.endsWith(`.${name}`));
  if (close !== undefined) return `There is no tool "${name}". Did you mean "${close}"?`;
  const siblings = names.filter((other) => other.startsWith(`${server}.`)).slice(0, maxNames);
  return siblings.length > 0
    ? `There is no tool "${name}". Server "${server}" has: ${siblings.join(', ')}`
    : `There is no tool "${name}", and no server "${server}". "tutti tools" lists what there is`;
}
