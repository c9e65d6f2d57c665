import { localCaller } from '../../contract/caller/index.ts';
import type { PlanCheck, PlanProblem } from '../../contract/plan/index.ts';
import type { EngineName, NewRun, PlanSource } from '../../contract/run/index.ts';
import { AppError, pluralize } from '../../kernel/index.ts';
import { engineOption, type Invocation, textOption, withSystem } from '../invocation.ts';
import { describeProblem, readPlanSource } from './plan.ts';
import { followRun } from './runs/follow-run.ts';
import { type GivenInputs, readGivenInputs, typedInputs } from './runs/run-inputs.ts';
import { showDetached } from './runs/run-result.ts';

const exitBadPlan = 2;

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, options } = invocation;
  const [file = ''] = invocation.operands;
  const engine = engineOption(invocation);
  const context = textOption(invocation, 'context');
  // Read before the system opens, so that a mistake here costs nothing.
  const source = await readPlanSource(file, io);
  const given = await readGivenInputs(invocation);
  return withSystem(invocation, {}, async (system) => {
    const { workflows } = system;
    try {
      const isOptimized = options['optimize'] === true;
      const checking = workflows.check(localCaller, source, { optimize: isOptimized });
      const check = await output.during('Checking the plan', checking);
      const input = inputsFor(check, given);
      // They are not part of the result, so they are printed with `--json` too.
      for (const warning of check.ok ? check.warnings : [])
        output.note(describeProblem(warning, file, output.paint));
      const wanted = newRun(source, { engine, isOptimized, context });
      const { runId } = await workflows.start(localCaller, { ...wanted, input });
      if (options['detach'] === true) return await showDetached(invocation, workflows, runId);
      output.note(`Run ${runId}`);
      return await followRun(invocation, {
        system,
        runId,
        execute: true,
        onInterrupt: 'cancel',
      });
    } catch (error) {
      const problems = problemsOf(error);
      if (problems.length === 0 || output.isJson) throw error;
      for (const problem of problems) output.note(describeProblem(problem, file, output.paint));
      output.note(
        `error: The plan cannot run: ${pluralize(problems.length, 'error')}. Nothing was started`,
      );
      return exitBadPlan;
    }
  });
}

/** What inputs are stands in the plan. One that is none is refused when it is started, with all that is wrong with it. */
function inputsFor({ plan }: PlanCheck, given: GivenInputs): NewRun['input'] {
  const isAsGiven = given.pairs.length === 0 || plan === undefined;
  return isAsGiven ? given.values : typedInputs(given, plan.input ?? {});
}

function newRun(
  source: PlanSource,
  {
    engine,
    isOptimized,
    context,
  }: { engine: EngineName | undefined; isOptimized: boolean; context: string | undefined },
): Omit<NewRun, 'input'> {
  return {
    source,
    ...(engine !== undefined && { engine }),
    ...(context !== undefined && { context }),
    ...(isOptimized && { optimize: true }),
  };
}

function problemsOf(error: unknown): readonly PlanProblem[] {
  if (!(error instanceof AppError) || error.code !== 'plan.invalid') return [];
  const { errors } = Object(error.details);
  return Array.isArray(errors) ? errors : [];
}
