import { z } from 'zod';
import type { ModelEntry, ModelLimits } from '../../../src/models/index.ts';
import type { Serve } from './wire-server.ts';

/** What a model's server does, and what has to come of it. */
export interface Behaviour {
  readonly name: string;
  /** How it is asked; `openai` when not given. */
  readonly kind?: ModelEntry['kind'];
  readonly serve: Serve;
  /** What the settings say in place of the server's address. */
  readonly url?: (url: string) => string;
  /** `plan`: JSON of the shape below, instead of a text. */
  readonly ask?: 'text' | 'plan';
  readonly limits?: Partial<ModelLimits>;
  /** The caller cancels when the first piece came. */
  readonly isCancelled?: boolean;
  readonly outcome: Outcome;
  /** How many requests reached the server. */
  readonly requests?: number;
}

export type Outcome =
  | { readonly text: string; readonly finish?: string }
  | { readonly code: string; readonly says?: RegExp }
  | { readonly value: z.output<typeof planShape>; readonly attempts?: number };

/** What structured requests of these tests ask for. */
export const planShape = z.object({ goal: z.string(), steps: z.array(z.string()) });

export const aPlan = { goal: 'tidy up', steps: ['format', 'test'] };

/** Short, so that everything that has to end does so while somebody waits for the tests. */
export const shortLimits: Partial<ModelLimits> = {
  callMs: 3_000,
  idleMs: 250,
  attempts: 2,
  retryDelayMs: 1,
  maxRetryDelayMs: 60,
  maxAnswerBytes: 20_000,
  maxWireBytes: 400_000,
};
