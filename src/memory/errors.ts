import { AppError } from '../kernel/index.ts';
import type { SessionSummary } from '../contract/session/index.ts';
import type { SessionHolder } from './session-store.ts';

const maxShown = 100;

/** Sessions of other callers are unknown, too. */
export class UnknownSessionError extends AppError {
  readonly code = 'memory.unknown_session';

  /** `elsewhere` is the last session of another folder, where `last` has none here. */
  constructor(id: string, elsewhere?: Pick<SessionSummary, 'id' | 'title' | 'folder'>) {
    const shown = shortened(id);
    super(
      elsewhere
        ? `No session belongs to this folder. The last elsewhere is ${elsewhere.id} "${elsewhere.title}" in ${elsewhere.folder}`
        : id === 'last'
          ? 'There is no session yet. "tutti chat" or "tutti ask" begins one'
          : `There is no session "${shown}". "tutti sessions" lists those there are; without --session a new one begins`,
      { details: { id: shown } },
    );
  }
}

export class AmbiguousSessionError extends AppError {
  readonly code = 'memory.ambiguous_session';

  constructor(beginning: string, ids: readonly string[]) {
    super(`Several sessions begin with "${beginning}": ${ids.join(', ')}. Give more of the id`, {
      details: { beginning, ids },
    });
  }
}

/** Another process owns the session. */
export class SessionBusyError extends AppError {
  readonly code = 'memory.session_busy';
  override readonly retryable = true;

  constructor(id: string, holder: SessionHolder) {
    super(
      `Session ${id} was not opened: process ${holder.pid} writes in it since ${holder.since}. ` +
        `Wait until it is done or end it, or go on in a copy: "tutti sessions fork ${id}"`,
      { details: { id, ...holder } },
    );
  }
}

/** The session is not ours to write in any more; what was acknowledged is kept. */
export class SessionLostError extends AppError {
  readonly code = 'memory.session_lost';

  constructor(id: string, reason: string) {
    super(`Nothing was added to session ${id}: ${reason}. Open it again to go on`, {
      details: { id },
    });
  }
}

export class SessionFullError extends AppError {
  readonly code = 'memory.session_full';

  constructor(id: string, limit: { readonly what: string; readonly max: number }) {
    super(
      `Session ${id} takes no further turn: it may have ${limit.max} ${limit.what}. ` +
        'Go on in a new session; this one can still be read and exported',
      { details: { id, ...limit } },
    );
  }
}

export class TurnTooLargeError extends AppError {
  readonly code = 'memory.turn_too_large';

  constructor(id: string, size: { readonly bytes: number; readonly maxBytes: number }) {
    super(
      `The turn was not added to session ${id}: it has ${size.bytes} bytes, and a turn may have ${size.maxBytes}. ` +
        'Give long texts as files, by their paths',
      { details: { id, ...size } },
    );
  }
}

export class TooManySessionsError extends AppError {
  readonly code = 'memory.too_many_sessions';

  constructor(maxSessions: number) {
    super(
      `No session was made: there are ${maxSessions} already, which is as many as there may be. ` +
        'Remove some: "tutti sessions remove ID"',
      { details: { maxSessions } },
    );
  }
}

export class UnknownTurnError extends AppError {
  readonly code = 'memory.unknown_turn';

  constructor(id: string, turn: { readonly number: number; readonly turns: number }) {
    super(`Session ${id} has no turn ${turn.number}: it has ${turn.turns} of them`, {
      details: { id, ...turn },
    });
  }
}

/** The file of a session that is to go is in the way. The session is as it was. */
export class SessionFileError extends AppError {
  readonly code = 'memory.file_not_removed';

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The session was not removed, because its file ${path} could not be: ${reason}. Remove the file, then try again`,
      { cause, details: { path } },
    );
  }
}

/** What was to be imported is no session. Nothing of it was kept. */
export class InvalidSessionError extends AppError {
  readonly code = 'memory.invalid_session';

  constructor(problems: readonly string[]) {
    super(
      `Nothing was imported, because this is no session: ${problems.join('; ')}. ` +
        'Give a file that "tutti sessions export" wrote, or one of the folder that conversation.session_dir names',
      { details: { problems } },
    );
  }
}

export class NewerSessionError extends AppError {
  readonly code = 'memory.newer_session';

  constructor(versions: { readonly found: number; readonly known: number }) {
    super(
      `Nothing was imported: the session has version ${versions.found}, and this program knows version ${versions.known}. Update Tutti`,
      { details: versions },
    );
  }
}

export class UnknownPreferenceError extends AppError {
  readonly code = 'memory.unknown_preference';

  constructor(preference: string, known: readonly string[]) {
    super(
      `Nothing was forgotten: there is no preference "${shortened(preference)}". ` +
        (known.length === 0 ? 'None is known' : `Known are: ${known.join(', ')}`),
      { details: { preference: shortened(preference) } },
    );
  }
}

/** Items of other callers are unknown, too. */
export class UnknownMemoryError extends AppError {
  readonly code = 'memory.unknown_item';

  constructor(id: string) {
    super(`There is no memory item "${shortened(id)}". "tutti memory list" shows those there are`, {
      details: { id: shortened(id) },
    });
  }
}

export class AmbiguousMemoryError extends AppError {
  readonly code = 'memory.ambiguous_item';

  constructor(beginning: string, ids: readonly string[]) {
    super(
      `Several memory items begin with "${shortened(beginning)}": ${ids.join(', ')}. Give more of the id`,
      { details: { beginning: shortened(beginning), ids } },
    );
  }
}

export class SupersededMemoryError extends AppError {
  readonly code = 'memory.superseded_item';

  constructor(id: string, newer: string) {
    super(`Memory item ${id} was not changed: ${newer} superseded it. Correct that one`, {
      details: { id, newer },
    });
  }
}

/** There is no item without provenance. */
export class UnknownMemorySourceError extends AppError {
  readonly code = 'memory.unknown_source';

  constructor(source: string) {
    super(`Nothing was remembered: its source, ${source}, does not exist`, { details: { source } });
  }
}

export class InvalidMemoryError extends AppError {
  readonly code = 'memory.invalid_item';

  constructor(reason: string, more: { readonly isSecret?: boolean } = {}) {
    super(`Nothing was remembered: ${reason}`, { details: { reason, ...more } });
  }
}

export class TooManyMemoriesError extends AppError {
  readonly code = 'memory.too_many_items';

  constructor(maxItems: number) {
    super(
      `Nothing was remembered: there are ${maxItems} memory items already, which is the limit. ` +
        'Forget some: "tutti memory forget ID", or remove sessions',
      { details: { maxItems } },
    );
  }
}

/** Failures of other callers are unknown, too. */
export class UnknownFailureError extends AppError {
  readonly code = 'memory.unknown_failure';

  constructor(id: string) {
    const shown = shortened(id);
    super(`There is no failure "${shown}". "tutti why" lists the latest`, {
      details: { id: shown },
    });
  }
}

export class UnknownFixError extends AppError {
  readonly code = 'memory.unknown_fix';

  constructor(id: string) {
    const shown = shortened(id);
    super(`There is no fix "${shown}". "tutti why RUN" lists those that fit a failure`, {
      details: { id: shown },
    });
  }
}

function shortened(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}

const maxShownItems = 100;

/** Those of other callers are unknown, too. */
export class UnknownContextError extends AppError {
  readonly code = 'memory.unknown_context';

  constructor(ref: string) {
    const shown = ref.slice(0, maxShownItems);
    super(`There is no context "${shown}". "tutti contexts" lists those there are`, {
      details: { context: shown },
    });
  }
}

export class AmbiguousContextError extends AppError {
  readonly code = 'memory.ambiguous_context';

  constructor(ref: string, ids: readonly string[]) {
    super(`Several contexts match "${ref}": ${ids.join(', ')}. Give the whole id of one`, {
      details: { context: ref, ids },
    });
  }
}

/** Nothing of it was stored. */
export class InvalidContextError extends AppError {
  readonly code = 'memory.invalid_context';

  constructor(attempted: string, problems: readonly string[]) {
    super(`${attempted}: ${problems.join('; ')}. Nothing was stored`, { details: { problems } });
  }
}

export class ContextLimitError extends AppError {
  readonly code = 'memory.context_limit';

  constructor(what: 'versions' | 'bytes' | 'shares', max: number) {
    super(
      what === 'shares'
        ? `The context was not shared: it is shared with ${max} callers already. End a share first: "tutti contexts unshare NAME CALLER"`
        : `The context was not stored: a caller may have ${max} ${what} of contexts. Remove some: "tutti contexts remove NAME"`,
      { details: { what, max } },
    );
  }
}

export class ShareRefusedError extends AppError {
  readonly code = 'memory.share_refused';

  constructor(sharedWith: string, reason: string) {
    const shown = sharedWith.slice(0, maxShownItems);
    super(`The context was not shared with "${shown}": ${reason}`, {
      details: { sharedWith: shown },
    });
  }
}
