import type { Scenario, StepCounter } from './scenarios.ts';

/** normal: what is done survives the death of every process · full: the loss of power too. */
export type Durability = 'normal' | 'full';

export interface Contender {
  readonly name: string;
  /** Opens everything that is not part of the work, servers included. */
  open(options: OpenOptions): Promise<Opened>;
}

export interface OpenOptions {
  readonly durability: Durability;
  /** An empty folder. */
  readonly folder: string;
  readonly counter: StepCounter;
}

export interface Opened {
  /** From the request to the end of all runs of the scenario. */
  run(scenario: Scenario): Promise<void>;
  /** Process ids whose memory counts beside this process's own. */
  readonly pids: readonly number[];
  close(): Promise<void>;
}
