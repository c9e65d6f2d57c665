import { createHash } from 'node:crypto';

const maxWireLength = 64;
const hashLength = 8;
/** Less of a server's name says nothing. */
const minServerLength = 3;

/** `server.tool`: how people write a tool in the terminal, in plans and in docs. */
export function dottedName(server: string, tool: string): string {
  return `${server}.${tool}`;
}

/**
 * `server__tool`: the name on MCP faces and in model requests, where only `[A-Za-z0-9_-]{1,64}` is
 * safe. Names that are too long or hold other characters are shortened or cleaned and end in a hash
 * of the original, so that the same name always maps to the same wire name and two never collide.
 * The server's part is shortened first: a model chooses by the name of the tool.
 */
export function wireName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  const serverLength = maxWireLength - hashLength - 1 - `__${tool}`.length;
  if (name.length <= maxWireLength || serverLength < minServerLength) return safeName(name);
  return `${cleaned(server).slice(0, serverLength)}__${cleaned(tool)}_${hashOf(name)}`;
}

/** The same for a tool served bare, by the only server. */
export function bareWireName(tool: string): string {
  return safeName(tool);
}

function safeName(name: string): string {
  const safe = cleaned(name);
  if (safe === name && name.length <= maxWireLength) return name;
  return `${safe.slice(0, maxWireLength - hashLength - 1)}_${hashOf(name)}`;
}

function cleaned(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, hashLength);
}
