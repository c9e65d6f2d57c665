import { localCaller } from '../../../contract/caller/index.ts';
import type { PlanCheck } from '../../../contract/plan/index.ts';
import { counted } from '../../../kernel/index.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import type { Paint } from '../../output.ts';
import { describeProblem } from './describe-problems.ts';
import { readPlanSource } from './plan-source.ts';

/** Prints all that is wrong with a plan. Exit code 2 when it cannot run. */
export async function checkPlan(invocation: Invocation, file: string): Promise<number> {
  const { io, output, options } = invocation;
  const source = await readPlanSource(file, io);
  return withSystem(invocation, {}, async ({ workflows }) => {
    const isOptimized = options['optimize'] === true;
    const checking = workflows.check(localCaller, source, { optimize: isOptimized });
    const check = await output.during('Checking the plan', checking);
    const { ok, errors, warnings, edges, optimizations } = check;
    output.result({ ok, errors, warnings, edges, optimizations }, () =>
      describe(check, file, { paint: output.paint, isOptimized }),
    );
    return ok ? 0 : 2;
  });
}

function describe(
  check: PlanCheck,
  file: string,
  { paint, isOptimized }: { readonly paint: Paint; readonly isOptimized: boolean },
): string {
  const { ok, errors, warnings, edges, optimizations, plan } = check;
  const verdict = ok
    ? paint.green(
        `The plan is fine: ${counted(plan?.steps.length ?? 0, 'step')}, ${counted(edges.length, 'edge')}`,
      )
    : paint.red(`The plan cannot run: ${counted(errors.length, 'error')}`);
  const aside = warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : '';
  return [
    ...[...errors, ...warnings].map((problem) => describeProblem(problem, file, paint)),
    ...optimizations.map((change) =>
      paint.dim(`${isOptimized ? 'optimized' : 'with --optimize'}: ${change}`),
    ),
    `${verdict}${aside}`,
  ].join('\n');
}
