import { AppError } from '../../kernel/index.ts';

/** What a server said when it refused a request: the parameters of its `Bearer` challenge. */
export interface Challenge {
  /** Where the metadata of the protected resource is (RFC 9728). */
  readonly resourceMetadata?: string;
  /** The scopes that the request needs. */
  readonly scopes?: readonly string[];
  /** `invalid_token`, `insufficient_scope`. */
  readonly error?: string;
}

/** A server wants the caller to log in, or to consent to more. The request was not executed. */
export class LoginRequiredError extends AppError {
  readonly code = 'fleet.login_required';
  readonly challenge: Challenge;

  constructor(server: string, reason: string, challenge: Challenge = {}) {
    super(
      `Server "${server}" needs a login: ${reason}. Log in with "tutti servers login ${server}", or call it from a client that supports URL elicitation`,
      {
        details: { server, ...(challenge.scopes && { scopes: challenge.scopes }) },
        // The message says it already.
        hint: '',
      },
    );
    this.challenge = challenge;
  }
}

/**
 * A login did not succeed. Takes sentences only, never the error of the OAuth library as its cause: that holds
 * codes and tokens.
 */
export class LoginFailedError extends AppError {
  readonly code = 'fleet.login_failed';
  override readonly retryable: boolean;

  constructor(server: string, reason: string, options: { readonly retryable?: boolean } = {}) {
    super(`The login to server "${server}" failed: ${reason}`, { details: { server } });
    this.retryable = options.retryable ?? false;
  }
}
