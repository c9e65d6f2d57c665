import type { Caller } from '../caller/index.ts';
import data from './permissions.json' with { type: 'json' };

/** From least to most: each may do what those before it may. */
export const roles = ['viewer', 'operator', 'developer', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];

export type Permission = keyof typeof data;

interface PermissionEntry {
  readonly meaning: string;
  /** The least role that has it. */
  readonly from: Role;
}

/** Every permission there is. Each route of the API and each MCP method names one. */
export const permissions = data as Readonly<Record<Permission, PermissionEntry>>;

/** Whether the caller's role has the permission. The user at this machine has no role and may do everything. */
export function isPermitted({ role }: Caller, permission: Permission): boolean {
  if (role === undefined) return true;
  return roles.indexOf(role) >= roles.indexOf(permissions[permission].from);
}

/** Whether a tool (`server.tool`) is in the caller's scope. `*` in a scope matches any characters. */
export function isInScope({ scopes }: Caller, tool: string): boolean {
  return scopes === undefined || scopes.some((scope) => matchesGlob(tool, scope));
}

/** The scope that has the tool; empty where all are in scope, undefined where it is in none. */
export function matchingScope({ scopes }: Caller, tool: string): string | undefined {
  return scopes === undefined ? '' : scopes.find((scope) => matchesGlob(tool, scope));
}

/**
 * Whether every tool that a scope may mean is in the caller's own: read as a name, its stars can only be matched by
 * stars of the caller's scope.
 */
export function coversScope(caller: Caller, scope: string): boolean {
  return isInScope(caller, scope);
}

/** Whether any tool of a server can be in the caller's scope. */
export function isServerInScope({ scopes }: Caller, server: string): boolean {
  if (scopes === undefined) return true;
  return scopes.some((scope) => mayBegin(scope, `${server}.`));
}

/** Whether some name that begins with `start` matches the glob. */
function mayBegin(glob: string, start: string): boolean {
  const star = glob.indexOf('*');
  if (star === -1) return glob.length > start.length && glob.startsWith(start);
  const fixed = glob.slice(0, star);
  return fixed.length >= start.length ? fixed.startsWith(start) : start.startsWith(fixed);
}

/** Without regular expressions: a hostile pattern cannot take longer than pattern length × name length. */
function matchesGlob(name: string, glob: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  if (rest.length === 0) return name === glob;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
