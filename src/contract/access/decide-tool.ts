import { AppError } from '../../kernel/index.ts';
import type { Caller } from '../caller/index.ts';
import { isPermitted, matchingScope, type Permission, permissions } from './permissions.ts';
import data from './tool-permissions.json' with { type: 'json' };

/** The permission that each tool of ours needs which does more, or less, than a call of any tool. */
export const toolPermissions: Readonly<Record<string, Permission>> = Object.assign(
  Object.create(null),
  data,
);

/**
 * The permission to call a tool. Ours that manage Tutti itself have their own: one of `admin` that is not in the table
 * needs more than to call tools.
 */
export function toolPermission({ name, isOwn = false }: NamedTool): Permission {
  if (!isOwn) return 'tools.call';
  return toolPermissions[name] ?? (name.startsWith('admin.') ? 'servers.manage' : 'tools.call');
}

interface NamedTool {
  /** `server.tool`. */
  readonly name: string;
  /** Whether it is one of this program. */
  readonly isOwn?: boolean;
}

/** Whether a caller may call a tool. A tool out of its scope does not exist for it. */
interface ToolDecision {
  readonly isAllowed: boolean;
  readonly isHidden: boolean;
  readonly permission: Permission;
  /** What decided, in words. */
  readonly rule: string;
}

/** The one place where it is decided whether a caller may call a tool. */
export function decideTool(caller: Caller, tool: NamedTool): ToolDecision {
  const permission = toolPermission(tool);
  const { role } = caller;
  const scope = matchingScope(caller, tool.name);
  if (scope === undefined) {
    const none = caller.scopes?.length === 0 ? 'it has no scope' : 'none of its scopes matches';
    return { isAllowed: false, isHidden: true, permission, rule: none };
  }
  const isAllowed = isPermitted(caller, permission);
  return { isAllowed, isHidden: false, permission, rule: ruleText(role, permission, scope) };
}

function ruleText(role: Caller['role'], permission: Permission, scope: string): string {
  if (role === undefined) return 'the user at this machine may do everything';
  const { from } = permissions[permission];
  const tools = scope === '' ? 'all tools are in its scope' : `scope "${scope}" matches`;
  return `role ${role}, and ${permission} is from ${from} on; ${tools}`;
}

/** Throws `access.forbidden` when the role of the caller does not have the permission. */
export function demandPermission(caller: Caller, permission: Permission): void {
  if (!isPermitted(caller, permission)) throw new ForbiddenError(caller, { permission });
}

/** The caller's role does not have the permission, or it asks for more than it has itself. */
export class ForbiddenError extends AppError {
  readonly code = 'access.forbidden';

  constructor(caller: Caller, { permission, why }: { permission: Permission; why?: string }) {
    const because = why ?? `it needs the permission ${permission}, and the role is ${caller.role}`;
    super(`${caller.id} may not do this: ${because}`, { details: { permission } });
  }
}
