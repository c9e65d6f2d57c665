/** The first bytes on standard output of a sandbox that waits for its program. They are no output. */
export const bootReadyMark = 'tutti-ready\n';
