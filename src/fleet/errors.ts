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
      ...(kind === 'task' && { hint: taskHint }),
      ...(kind !== 'task' && kind !== 'method' && { hint: `\`tutti ${kind}s\` lists them.` }),
    });
  }
}

/** The same for a task of another caller, and for one that never was. */
const taskHint =
  'Who started a task is known until Tutti is restarted: a task from before that belongs to the user at this machine. Start it again.';

/** A tool was changed or added by its server after it was first seen, and waits for the user. */
export class ToolQuarantinedError extends AppError {
  readonly code = 'fleet.tool_quarantined';

  constructor({
    server,
    entry,
  }: {
    server: { name: string };
    entry: { name: string; tool: { name: string } };
  }) {
    super(
      `Tool "${entry.name}" was not called: server "${server.name}" changed or added it since its tools were accepted. ` +
        `Look at it with "tutti servers diff ${server.name}" and allow it with "tutti servers accept ${server.name} ${entry.tool.name}"`,
      { details: { server: server.name, tool: entry.name } },
    );
  }
}

/** The user switched the server off. */
export class ServerDisabledError extends AppError {
  readonly code = 'fleet.server_disabled';

  constructor(server: string) {
    super(
      `Server "${server}" is disabled, so the call was not made. Use it again with "tutti servers enable ${server}"`,
      { details: { server } },
    );
  }
}

/** A server runs but did not list its tools. */
export class ListingFailedError extends AppError {
  readonly code = 'fleet.listing_failed';
  override readonly retryable = true;

  constructor(server: string, reason: string) {
    super(`The tools of server "${server}" could not be listed: ${reason}`, {
      details: { server },
    });
  }
}

/** No server has the requested name. */
export class UnknownServerError extends AppError {
  readonly code = 'fleet.unknown_server';

  constructor(name: string, known: readonly string[]) {
    super(`There is no server "${name}". Known servers: ${known.join(', ')}`, {
      details: { name, known },
    });
  }
}

/** A server does not read its input, and its queue is full. */
export class ServerNotReadingError extends AppError {
  readonly code = 'fleet.server_not_reading';
  override readonly retryable = true;

  constructor(server: string, queuedBytes: number) {
    super(
      `The request was not sent to server "${server}": it does not read its input, and ${queuedBytes} bytes are queued already. Restart the server if this persists`,
      { details: { server, queuedBytes } },
    );
  }
}

/** A response exceeded the size limit. */
export class AnswerTooLargeError extends AppError {
  readonly code = 'fleet.answer_too_large';

  constructor(server: string, maxBytes: number) {
    super(
      `Server "${server}" sent a response of more than ${maxBytes} bytes, which was discarded. Request less at a time`,
      { details: { server, maxBytes } },
    );
  }
}

/** A server sent an invalid response. */
export class BadAnswerError extends AppError {
  readonly code = 'fleet.bad_answer';

  constructor(server: string, problem: string) {
    super(`Server "${server}" sent an invalid response: ${problem}`, {
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

/** A request was sent, but no response will arrive: it may or may not have been executed. */
export class ExchangeBrokenError extends AppError {
  readonly code = 'fleet.exchange_broken';

  constructor(server: string, reason: string) {
    super(
      `Server "${server}" did not respond: ${reason}. The request may or may not have been executed`,
      { details: { server } },
    );
  }
}

/** The server no longer knows the session; `initialize` opens a new one. */
export class SessionExpiredError extends AppError {
  readonly code = 'fleet.session_expired';
  override readonly retryable = true;
  /** False when another session has begun since: then the request can be sent again at once. */
  readonly isCurrent: boolean;

  constructor(server: string, isCurrent: boolean) {
    super(`Server "${server}" has ended the session; the request was not executed`, {
      details: { server },
    });
    this.isCurrent = isCurrent;
  }
}

/** A server responded with a failure status and without a JSON-RPC error. */
export class HttpStatusError extends AppError {
  readonly code = 'fleet.http_status';
  override readonly retryable: boolean;
  readonly status: number;

  constructor(server: string, status: number, excerpt: string) {
    const shown = excerpt === '' ? '' : ` and "${excerpt}"`;
    super(`Server "${server}" answered with HTTP status ${status}${shown}. ${adviceOn(status)}`, {
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
  return "Check the server's log";
}

/** A server redirected a request. Not followed, because the request may carry credentials. */
export class RedirectRefusedError extends AppError {
  readonly code = 'fleet.redirect_refused';

  constructor(server: string, status: number, target: URL | null) {
    const location = target ? `${target.origin}${target.pathname}` : 'an invalid address';
    super(
      `Server "${server}" redirects to ${location}, which is not followed. If that is its new address, set it as the url of its entry`,
      { details: { server, status, target: location } },
    );
  }
}

/** The configured url or headers of a server cannot be used. */
export class InvalidEndpointError extends AppError {
  readonly code = 'fleet.invalid_endpoint';

  constructor(server: string, problem: string) {
    super(`Cannot connect to server "${server}": ${problem}`, { details: { server } });
  }
}
