/** On whose behalf something happens. Every port that touches user data takes one. */
export interface Caller {
  readonly id: string;
}

/** The user at this machine: the default caller. */
export const localCaller: Caller = { id: 'local' };
