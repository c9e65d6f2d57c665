/** Sizes are bytes of JSON. */
export interface EffectLimits {
  /** Larger values are kept as artifacts. */
  readonly inlineBytes: number;
  /** Arguments of one call. */
  readonly argumentBytes: number;
  /** The result of one call. */
  readonly resultBytes: number;
  /** An artifact whose value is filled into arguments or looked at. */
  readonly loadBytes: number;
  /** Parsed artifacts kept in memory, all together. */
  readonly cachedBytes: number;
  /** Arguments shown to the person who decides; longer ones are cut. */
  readonly shownArgumentBytes: number;
  /** How long an approval may be waited for where the plan does not say. */
  readonly approvalMs: number;
  /** How long one look at what became of a call may take. */
  readonly reconcileMs: number;
  /** How long a call may take where its server's entry does not say: so long its effect is looked for. */
  readonly callMs: number;
  /** How long after the death of a process the servers it started may still be at work. */
  readonly orphanMs: number;
}

export const defaultEffectLimits: EffectLimits = {
  inlineBytes: 65_536,
  argumentBytes: 16 * 1_048_576,
  resultBytes: 64 * 1_048_576,
  loadBytes: 64 * 1_048_576,
  cachedBytes: 32 * 1_048_576,
  shownArgumentBytes: 16_384,
  approvalMs: 7 * 86_400_000,
  reconcileMs: 60_000,
  callMs: 60_000,
  // Ours are ended within two seconds.
  orphanMs: 2_500,
};
