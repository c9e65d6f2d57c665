import { AppError } from '../kernel/index.ts';

/** Keys of other tenants are unknown, too. */
export class UnknownKeyError extends AppError {
  readonly code = 'access.unknown_key';

  constructor(id: string) {
    super(`There is no API key "${id}"`, { details: { id } });
  }
}

/** Tenants of others are unknown, too. */
export class UnknownTenantError extends AppError {
  readonly code = 'access.unknown_tenant';

  constructor(name: string) {
    super(`There is no tenant "${name}"`, { details: { name } });
  }
}

/** What was asked for cannot be a key. */
export class InvalidKeyError extends AppError {
  readonly code = 'access.invalid_key';

  constructor(problem: string) {
    super(`The API key was not changed: ${problem}`);
  }
}

/** A run goes on only as long as the caller that started it has access. */
export class CallerRevokedError extends AppError {
  readonly code = 'access.caller_revoked';

  constructor(callerId: string, why: string) {
    super(`The call was not made for ${callerId}: ${why}`, { details: { callerId } });
  }
}

/** The settings of `identity` contradict each other. */
export class InvalidIdentityError extends AppError {
  readonly code = 'access.invalid_settings';

  constructor(problem: string) {
    super(`Clients cannot be identified by tokens: ${problem}`);
  }
}
