import { AppError } from '../kernel/index.ts';

/** The catalogue has no tool, resource, prompt, task or method of that name. */
export class UnknownNameError extends AppError {
  readonly code = 'fleet.not_found';

  constructor(
    kind: 'tool' | 'resource' | 'prompt' | 'task' | 'method',
    name: string,
    meant?: string,
  ) {
    const proposal = meant === undefined ? '' : `. Did you mean "${meant}"?`;
    super(`Unknown ${kind}: ${name}${proposal}`, {
      details: { kind, name, ...(meant !== undefined && { suggestion: meant }) },
      ...(kind !== 'task' && kind !== 'method' && { hint: `\`tutti ${kind}s\` lists them.` }),
    });
  }
}

/** A server runs, but does not say which tools it has. */
export class ListingFailedError extends AppError {
  readonly code = 'fleet.listing_failed';
  override readonly retryable = true;

  constructor(server: string, reason: string) {
    super(`The tools of server "${server}" could not be listed: ${reason}`, {
      details: { server },
    });
  }
}

/** A server was asked for by a name that none has. */
export class UnknownServerError extends AppError {
  readonly code = 'fleet.unknown_server';

  constructor(name: string, known: readonly string[]) {
    super(`There is no server "${name}". Known servers: ${known.join(', ')}`, {
      details: { name, known },
    });
  }
}

/** A server does not read what it is sent, and too much waits for it already. */
export class ServerNotReadingError extends AppError {
  readonly code = 'fleet.server_not_reading';
  override readonly retryable = true;

  constructor(server: string, queuedBytes: number) {
    super(
      `The request was not sent to server "${server}": ${queuedBytes} bytes sent before wait, because it does not read its input. Restart the server if this lasts`,
      { details: { server, queuedBytes } },
    );
  }
}

/** A server answered with a message larger than is taken. */
export class AnswerTooLargeError extends AppError {
  readonly code = 'fleet.answer_too_large';

  constructor(server: string, maxBytes: number) {
    super(
      `Server "${server}" answered with more than ${maxBytes} bytes, and the answer was skipped. Ask it for less at once`,
      { details: { server, maxBytes } },
    );
  }
}

/** A server answered with what is no answer. */
export class BadAnswerError extends AppError {
  readonly code = 'fleet.bad_answer';

  constructor(server: string, problem: string) {
    super(`Server "${server}" answered with what is no valid answer: ${problem}`, {
      details: { server, problem },
    });
  }
}

/** A server behind a url could not be reached: the request was not sent. */
export class UnreachableError extends AppError {
  readonly code = 'fleet.unreachable';
  override readonly retryable = true;

  constructor(server: string, origin: string, reason: string) {
    super(`Server "${server}" at ${origin} could not be reached: ${reason}`, {
      details: { server, origin },
    });
  }
}

/** A request was sent, and no answer will come: whether the server acted on it is unknown. */
export class ExchangeBrokenError extends AppError {
  readonly code = 'fleet.exchange_broken';

  constructor(server: string, reason: string) {
    super(
      `Server "${server}" gave no answer: ${reason}. Whether it did what was asked is not known`,
      { details: { server } },
    );
  }
}

/** The server knows the session no more; who wants to go on initializes again. */
export class SessionExpiredError extends AppError {
  readonly code = 'fleet.session_expired';
  override readonly retryable = true;
  /** False when another session has begun since: then the request can be sent again at once. */
  readonly isCurrent: boolean;

  constructor(server: string, isCurrent: boolean) {
    super(`Server "${server}" has ended the session, and the request was not done`, {
      details: { server },
    });
    this.isCurrent = isCurrent;
  }
}

/** A server answered with an HTTP status that is a failure, and with no error of the protocol. */
export class HttpStatusError extends AppError {
  readonly code = 'fleet.http_status';
  override readonly retryable: boolean;
  readonly status: number;

  constructor(server: string, status: number, excerpt: string) {
    const said = excerpt === '' ? '' : ` and "${excerpt}"`;
    super(`Server "${server}" answered with HTTP status ${status}${said}. ${adviceOn(status)}`, {
      details: { server, status },
    });
    this.status = status;
    this.retryable = status === 429 || status === 503;
  }
}

function adviceOn(status: number): string {
  if (status === 401 || status === 403) return 'Check the credentials in the headers of its entry';
  if (status === 404 || status === 405) {
    return 'Check the url and the transport (http or sse) of its entry';
  }
  if (status === 429 || status === 503) return 'Try again later';
  return 'Look at the log of the server';
}

/** A server sent a request elsewhere. It is not followed, because it may carry credentials. */
export class RedirectRefusedError extends AppError {
  readonly code = 'fleet.redirect_refused';

  constructor(server: string, status: number, target: URL | null) {
    const place = target ? `${target.origin}${target.pathname}` : 'no valid place';
    super(
      `Server "${server}" redirects to ${place}, which is not followed. If that is its place, put it into its entry as url`,
      { details: { server, status, target: place } },
    );
  }
}

/** Where or how a server is to be reached cannot be used. */
export class InvalidEndpointError extends AppError {
  readonly code = 'fleet.invalid_endpoint';

  constructor(server: string, problem: string) {
    super(`Server "${server}" cannot be spoken to: ${problem}`, { details: { server } });
  }
}
