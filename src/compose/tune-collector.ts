/** Loading what sets it takes milliseconds that belong to the first answer. */
const tuneAfterMs = 100;

/**
 * For processes that serve or execute runs. V8 puts objects of a kind that often outlived a collection among the old
 * ones from the start; with hundreds of calls or runs in flight when a collection comes, that is what calls are
 * made of. Dead a moment later they keep what they refer to until the next full collection: a fifth of
 * all that was allocated was copied, twice, which cost up to a third of the processor time of a call.
 */
export function tuneCollector(): void {
  setTimeout(() => {
    void import('node:v8').then(({ setFlagsFromString }) =>
      setFlagsFromString('--no-allocation-site-pretenuring'),
    );
  }, tuneAfterMs).unref();
}
