import type { Caller } from '../caller/index.ts';

/** How often an instance says that it is there. */
export const beatEveryMs = 2_000;
/** Without a beat for so long, it counts as gone. */
export const goneAfterMs = 10_000;
/** Then it is no longer listed. */
export const forgetAfterMs = 10 * 60_000;
/** That one list shows. */
export const maxInstances = 1_000;

/** What an instance says of itself. */
export interface InstanceReport {
  /** Random, of one start of `tutti serve`. */
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** Where it listens. */
  readonly address: string;
  readonly isDraining: boolean;
  /** Of its fleet that are running. */
  readonly servers: number;
  /** Calls in flight. */
  readonly calls: number;
  /** Runs that it executes. */
  readonly runs: number;
}

export interface Instance extends InstanceReport {
  /** `gone`: it ended without a word, or cannot reach the store. */
  readonly state: 'serving' | 'draining' | 'gone';
  /** ISO 8601, by the clock of the store. */
  readonly startedAt: string;
  readonly lastBeatAt: string;
}

/** The instances that serve from one store. All times are its own: clocks of hosts differ. */
export interface InstanceStore {
  /** Says that an instance is there, and learns whether it was asked to drain. */
  beat(report: InstanceReport): Promise<{ readonly isDrainRequested: boolean }>;
  /** Earliest start first; those without a beat for `forgetAfterMs` are left out and removed by the next beat. */
  list(): Promise<readonly Instance[]>;
  /** False when no such instance is listed. */
  requestDrain(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** The instances as faces show them. */
export interface Instances {
  list(): Promise<readonly Instance[]>;
  /**
   * Asks an instance, by its id or the beginning of it, to finish what it has and end. It learns that with its next beat.
   * Throws `compose.unknown_instance` or `compose.instance_gone`.
   */
  drain(by: Caller, id: string): Promise<Instance>;
}
