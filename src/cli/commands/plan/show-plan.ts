import { localCaller } from '../../../contract/caller/index.ts';
import { UnknownNameError } from '../../errors.ts';
import { textOption, withSystem, type Invocation } from '../../invocation.ts';
import { describeProblem } from './describe-problems.ts';
import { readPlanSource } from './plan-source.ts';

const formats = ['text', 'mermaid', 'svg'] as const;

/** Draws a plan. One that cannot run is drawn, too, where it can be read; exit code 2 then. */
export async function showPlan(invocation: Invocation, file: string): Promise<number> {
  const { io, output, options } = invocation;
  const name = textOption(invocation, 'format') ?? 'text';
  const format = formats.find((known) => known === name);
  if (!format) throw new UnknownNameError('format', name, formats);
  const source = await readPlanSource(file, io);
  return withSystem(invocation, {}, async ({ workflows }) => {
    const checking = workflows.check(localCaller, source, {
      optimize: options['optimize'] === true,
    });
    const check = await output.during('Checking the plan', checking);
    const { ok, errors, warnings, plan, edges, optimizations } = check;
    const drawing = plan ? await workflows.draw(plan, format) : '';
    if (!output.isJson) {
      for (const problem of [...errors, ...warnings])
        output.note(describeProblem(problem, file, output.paint));
    }
    if (options['optimize'] === true)
      for (const change of optimizations) output.note(`optimized: ${change}`);
    output.result(
      { ok, errors, warnings, edges, optimizations, format, drawing, plan: plan ?? null },
      () => drawing,
    );
    return ok ? 0 : 2;
  });
}
