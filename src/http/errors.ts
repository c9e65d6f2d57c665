import { AppError } from '../kernel/index.ts';

/** Listening beyond loopback requires authentication. */
export class OpenBindRefusedError extends AppError {
  readonly code = 'gateway.open_bind_refused';

  constructor(host: string) {
    super(
      `The server was not started on ${host}: others could reach it without authentication. ` +
        'Configure a token, or bind to 127.0.0.1',
      { details: { host } },
    );
  }
}

/** The address is in use, not local, or not permitted. */
export class ListenFailedError extends AppError {
  readonly code = 'gateway.listen_failed';

  constructor(address: { host: string; port: number }, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The server could not listen on ${address.host}:${address.port}: ${reason}. Choose another port, or 0 for any`,
      { details: { ...address }, cause },
    );
  }
}

/** The URL comes from others and its address, scheme or redirect is not acceptable. */
export class FetchRefusedError extends AppError {
  readonly code = 'http.fetch_refused';

  constructor(url: URL | undefined, reason: string) {
    const origin = url?.origin ?? 'a URL';
    super(`Fetching from ${origin} was refused: ${reason}`, { details: { origin, reason } });
  }
}

export class FetchFailedError extends AppError {
  readonly code = 'http.fetch_failed';
  override readonly retryable = true;

  constructor(url: URL, reason: string) {
    const { origin } = url;
    super(`Fetching from ${origin} failed: ${reason}`, { details: { origin, reason } });
  }
}
