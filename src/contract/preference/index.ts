import { z } from 'zod';

/** What a person prefers, where that holds, and why it is believed. */
export const preferenceSchema = z.strictObject({
  /** What it is about: of each topic a caller has one active preference in each project. */
  topic: z.string(),
  /** For people and models: `tests with pytest`. */
  text: z.string(),
  /** The value that was chosen, of what: an argument of a tool with that meaning is filled with it. */
  choice: z.strictObject({ of: z.string(), value: z.string() }).optional(),
  /** Holds for code of this language alone. */
  language: z.string().optional(),
  /** Holds in this folder alone. */
  project: z.string().optional(),
  /** ISO 8601. */
  learnedAt: z.string(),
  /** Stated, or learned from what the user corrected or changed. */
  origin: z.enum(['statement', 'correction', 'edit']),
  /** The user's own words; of an edit, which file was changed from what to what. */
  evidence: z.string(),
  /** The session and turn it was learned in. */
  source: z.strictObject({ session: z.string(), turn: z.int().min(1) }).optional(),
  /** `suggested` changes only plans that the user sees and accepts, `past` was superseded, `rejected` was suggested in vain. */
  state: z.enum(['active', 'suggested', 'past', 'rejected']),
  /** When the user first accepted a plan that it changed. */
  acceptedAt: z.string().optional(),
  /** When it was superseded. */
  endedAt: z.string().optional(),
});

export type Preference = z.output<typeof preferenceSchema>;

/** Where a message was said, or a file changed. */
export interface PreferenceSetting {
  /** The folder that "in this project" means. */
  readonly project?: string | undefined;
  readonly source?: Preference['source'];
  /** The message follows a plan or an answer, so that "no, use tabs" corrects it. */
  readonly isReply?: boolean;
}

/** A text that was generated, and what the user made of it. */
export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface LearnedPreferences {
  /** The new ones. */
  readonly learned: readonly string[];
  /** Corrections that may be meant for once: they change only plans that are shown. */
  readonly suggested: readonly string[];
  /** Those that hold no more because of the new ones. */
  readonly replaced: readonly string[];
  /** Said again: they hold already. */
  readonly known: readonly string[];
  /** Every sentence of the message states a preference: it asks for nothing. */
  readonly isAll: boolean;
  /** The message corrects what was shown before, and says nothing else. */
  readonly isCorrection: boolean;
  /** Not stored: they are about approvals, permissions, safety or secrets. */
  readonly refused: readonly string[];
}
