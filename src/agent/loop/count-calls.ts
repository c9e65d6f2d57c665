import type { RunView } from '../../contract/run/index.ts';

/** Tool calls made so far, each element of a `forEach` and each attempt counted. */
export function countCalls(views: readonly Pick<RunView, 'steps'>[]): number {
  const steps = views.flatMap((view) => Object.values(view.steps));
  return steps.reduce((sum, { items, attempts }) => sum + Math.max(items?.done ?? 0, attempts), 0);
}
