import { AppError } from '../../kernel/index.ts';

const maxShown = 100;

/** Those of other callers are unknown, too. */
export class UnknownContextError extends AppError {
  readonly code = 'memory.unknown_context';

  constructor(ref: string) {
    const shown = ref.slice(0, maxShown);
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
    const shown = sharedWith.slice(0, maxShown);
    super(`The context was not shared with "${shown}": ${reason}`, {
      details: { sharedWith: shown },
    });
  }
}
