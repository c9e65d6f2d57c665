import { createHash } from 'node:crypto';

const maxWireLength = 64;
const hashLength = 8;

/** `server.tool`: how people write a tool in the terminal, in plans and in docs. */
export function dottedName(server: string, tool: string): string {
  return `${server}.${tool}`;
}

/**
 * `server__tool`: the name on MCP faces and in model requests, where only `[A-Za-z0-9_-]{1,64}` is
 * safe. Names that are too long or hold other characters are shortened or cleaned and end in a hash
 * of the original, so that the same name always maps to the same wire name and two never collide.
 */
export function wireName(server: string, tool: string): string {
  return safeName(`${server}__${tool}`);
}

/** The same for a tool served bare, by the only server. */
export function bareWireName(tool: string): string {
  return safeName(tool);
}

function safeName(name: string): string {
  const cleaned = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (cleaned === name && name.length <= maxWireLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  return `${cleaned.slice(0, maxWireLength - hashLength - 1)}_${hash}`;
}
