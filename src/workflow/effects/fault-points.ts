/** Where a step may die, for who tests that it may. */
export const effectFaultPoints = [
  'effects.begin.before',
  'effects.begin.after',
  'effects.call.after',
  'effects.artifact.after',
  'effects.settle.after',
  'effects.reconcile.before',
  'effects.reconcile.after',
  'effects.ask.before',
  'effects.ask.after',
] as const;
