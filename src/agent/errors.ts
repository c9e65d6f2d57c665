import { AppError, shellWord } from '../kernel/index.ts';

/** A message with nothing in it, or more than the agent reads. */
export class InvalidMessageError extends AppError {
  readonly code = 'agent.invalid_message';

  constructor(reason: string) {
    super(`The message was not taken: ${reason}`, { details: { reason } });
  }
}

/** A conversation is about the files of its folder: what is agreed on in it is not done in another one. */
export class SessionElsewhereError extends AppError {
  readonly code = 'agent.session_elsewhere';

  constructor(session: { readonly id: string; readonly folder: string }, here: string) {
    const { id, folder } = session;
    super(
      `The message was not taken: session ${id} belongs to ${folder}, and this process works in ${here}. ` +
        `In its own folder: cd ${shellWord(folder)} && tutti chat --session ${id}`,
      { details: { id, folder, here } },
    );
  }
}
