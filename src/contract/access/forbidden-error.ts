import { AppError } from '../../kernel/index.ts';
import type { Caller } from '../caller/index.ts';
import type { Permission } from './permissions.ts';

/** The caller's role does not have the permission, or it asks for more than it has itself. */
export class ForbiddenError extends AppError {
  readonly code = 'access.forbidden';

  constructor(caller: Caller, { permission, why }: { permission: Permission; why?: string }) {
    const because = why ?? `it needs the permission ${permission}, and the role is ${caller.role}`;
    super(`${caller.id} may not do this: ${because}`, { details: { permission } });
  }
}
