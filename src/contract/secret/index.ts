/** A text as it may be shown: `[hidden aws-access-key-id]` stands where a secret was. */
export interface HiddenSecrets {
  readonly text: string;
  /** How many were hidden. */
  readonly count: number;
}

export type HideSecrets = (text: string) => HiddenSecrets;

/** What stands in place of a secret. */
export const hiddenSecretPattern = /\[hidden [a-z0-9-]+\]/g;
