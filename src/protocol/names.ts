import { createHash } from 'node:crypto';

const maxWireLength = 64;
const hashLength = 8;
/** A shorter part of a server's name is not recognizable. */
const minServerLength = 3;

/** `server.tool`: how people write a tool in the terminal, in plans and in docs. */
export function dottedName(server: string, tool: string): string {
  return `${server}.${tool}`;
}

/**
 * `server__tool`: the name on MCP faces and in model requests, where only `[A-Za-z0-9_-]{1,64}` is
 * safe. Names that are too long or hold other characters are shortened or cleaned and end in a hash
 * of the original, so that the same name always maps to the same wire name and two never collide.
 * The server's part is shortened first, down to nothing: a model chooses by the name of the tool.
 */
export function wireName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  return isSafe(name) ? name : hashedWireName({ server, tool }, name);
}

/** The same for a tool served bare, by the only server. */
export function bareWireName(tool: string): string {
  return isSafe(tool) ? tool : hashedWireName({ tool }, tool);
}

/** A wire name that ends in a hash of `original`. */
export function hashedWireName(
  { server = '', tool }: { readonly server?: string; readonly tool: string },
  original: string,
): string {
  const length = maxWireLength - hashLength - 1;
  const own = cleaned(tool).slice(0, length);
  const serverLength = length - own.length - '__'.length;
  const isNamed = server !== '' && serverLength >= minServerLength;
  const front = isNamed ? `${cleaned(server).slice(0, serverLength)}__` : '';
  const hash = createHash('sha256').update(original).digest('hex').slice(0, hashLength);
  return `${front}${own}_${hash}`;
}

/** Server names up to this length leave space for a usual tool name. */
const shortServerLength = 20;
const maxPrefixLength = 12;
/** Words that do not describe a server. */
const emptyWords =
  /^(?:mcp|server|servers|the|for|and|com|org|io|npm|official|modelcontextprotocol)$/;

/** A short prefix for the tools of a server with a long name; undefined where the name is short or has no descriptive word. */
export function shortPrefix(server: string, taken: readonly string[]): string | undefined {
  if (server.length <= shortServerLength) return undefined;
  const words = server.toLowerCase().split(/[^a-z0-9]+/);
  const descriptive = words.filter((word) => word !== '' && !emptyWords.test(word));
  const candidates = descriptive.map((_, at) => {
    const joined = descriptive.slice(0, at + 1).join('-');
    return joined.slice(0, maxPrefixLength).replace(/-$/, '');
  });
  const [first] = candidates;
  const free = candidates.find((candidate) => !taken.includes(candidate));
  if (free !== undefined || first === undefined) return free;
  let number = 2;
  while (taken.includes(`${first}-${number}`)) number += 1;
  return `${first}-${number}`;
}

function isSafe(name: string): boolean {
  return name.length <= maxWireLength && /^[A-Za-z0-9_-]+$/.test(name);
}

function cleaned(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
