/** Where the engine may die, for who tests that it may: each is passed by a run that has something of everything. */
export const embeddedFaultPoints = [
  'engine.claim.before',
  'engine.claim.after',
  'engine.load.after',
  'engine.dispatch.before',
  'engine.activity.after',
  'engine.commit.before',
  'engine.commit.after',
  'engine.end.before',
  'engine.end.after',
  'engine.request.seen',
  'engine.signal.seen',
  'engine.wait.over',
  'engine.renew.before',
  'engine.renew.after',
  'engine.release.before',
  'engine.release.after',
] as const;
