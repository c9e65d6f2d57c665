/** Where the messages of a chat come from. */
export interface ChatInput {
  /** The next message; undefined when there are no more. Throws `cli.usage` for one that is too long. */
  next(): Promise<string | undefined>;
  /** A line of the person who is there; undefined when they leave the question open. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Does something that the person can cancel: it throws `TurnCancelled` then. */
  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Whether the person left by interrupting, twice. */
  readonly isInterrupted: boolean;
  close(): Promise<void>;
}

/** The person cancelled what ran. */
export class TurnCancelled extends Error {}
