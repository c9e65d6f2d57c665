/** A request as far as its answer depends on it. */
export interface OpeningRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a client said before the system was open, and what it was answered then. */
export interface Opening {
  /** Everything that was read, the unfinished last line included. */
  readonly received: Uint8Array;
  /** Answers that were sent, as lines without their end, by the id of the request. */
  readonly answered: ReadonlyMap<string | number, string>;
  /** Called with each response of the system itself, in order; `undefined` when there is none. */
  onAnswer(request: OpeningRequest, line: string | undefined): void;
}

/** How a path takes part in what a start comes to: whether it exists, what it holds, or which files are in it. */
export interface StartPath {
  readonly path: string;
  readonly look: 'presence' | 'content' | 'listing';
}

/** All that the first answers to a client depend on, beside the program, its words and its folder. */
export interface StartConditions {
  /** The data directory. */
  readonly home: string;
  /** Names of environment variables. */
  readonly variables: readonly string[];
  readonly paths: readonly StartPath[];
}
