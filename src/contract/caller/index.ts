/** On whose behalf something happens. Every port that touches user data takes one. */
export interface Caller {
  readonly id: string;
}

/** The person at this machine: who calls when nobody else is named. */
export const localCaller: Caller = { id: 'local' };
