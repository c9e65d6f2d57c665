import { resolve } from 'node:path';
import { localCaller } from '../../contract/caller/index.ts';
import type { PlanCheck, PlanProblem } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { pluralize, lookupTable } from '../../kernel/index.ts';
import { UnknownNameError, UsageError } from '../errors.ts';
import { type Invocation, textOption, withSystem } from '../invocation.ts';
import type { Io } from '../io.ts';
import type { System } from '../../compose/index.ts';
import type { Paint } from '../output.ts';
import { singleLine } from '../printable.ts';
import { readInput } from '../read-input.ts';

/** An action of `tutti plan`: takes the name of a file, gives the exit code. */
type Action = (invocation: Invocation, file: string) => Promise<number>;

const actions: Readonly<Record<string, Action>> = lookupTable({ check: checkPlan, show: showPlan });

export async function run(invocation: Invocation): Promise<number> {
  const [word = '', file = ''] = invocation.operands;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UnknownNameError('action', word, Object.keys(actions));
  if (word === 'check' && textOption(invocation, 'format') !== undefined) {
    throw new UsageError('"plan check" draws nothing: --format belongs to "plan show"');
  }
  return action(invocation, file);
}

/** Prints all that is wrong with a plan. Exit code 2 when it cannot run. */
export async function checkPlan(invocation: Invocation, file: string): Promise<number> {
  const { io, output, options } = invocation;
  const source = await readPlanSource(file, io);
  return withSystem(invocation, {}, async (system) => {
    const isOptimized = options['optimize'] === true;
    const checking = system.workflows.check(localCaller, source, { optimize: isOptimized });
    const check = await output.during('Checking the plan', checking);
    const { ok, errors, warnings, edges, optimizations } = check;
    const effects = ok ? await findEffects(check, system) : [];
    output.result({ ok, errors, warnings, edges, optimizations, effects }, () =>
      [
        ...effects.map(describeEffect),
        describe(check, file, { paint: output.paint, isOptimized }),
      ].join('\n'),
    );
    return ok ? 0 : 2;
  });
}

/** A step whose tool does not say that it only reads. */
interface StepEffect {
  readonly step: string;
  readonly tool: string;
  /** Whether it waits for approval when the plan is run. */
  readonly asks: boolean;
}

async function findEffects(
  { plan }: PlanCheck,
  { catalogue, settings }: Pick<System, 'catalogue' | 'settings'>,
): Promise<readonly StepEffect[]> {
  const entries = await catalogue.entries();
  const mode = settings.describe().find(({ key }) => key === 'workflow.approval')?.value;
  return (plan?.steps ?? []).flatMap(({ id, tool, approval }) => {
    const hints = entries.find(({ name }) => name === tool)?.tool.annotations;
    if (tool === undefined || hints?.readOnlyHint === true) return [];
    const isDestructive = hints?.destructiveHint !== false;
    const isPolicy = mode === 'effects' || (mode === 'destructive' && isDestructive);
    return [{ step: id, tool, asks: isPolicy || (approval !== undefined && approval !== false) }];
  });
}

function describeEffect({ step, tool, asks }: StepEffect): string {
  const how = asks
    ? 'asks for approval first'
    : 'runs without asking (approval: true makes it ask)';
  return singleLine(`${step}: ${tool} may change something and ${how}`);
}

function describe(
  check: PlanCheck,
  file: string,
  { paint, isOptimized }: { readonly paint: Paint; readonly isOptimized: boolean },
): string {
  const { ok, errors, warnings, edges, optimizations, plan } = check;
  const verdict = ok
    ? paint.green(
        `The plan is fine: ${pluralize(plan?.steps.length ?? 0, 'step')}, ${pluralize(edges.length, 'edge')}`,
      )
    : paint.red(`The plan cannot run: ${pluralize(errors.length, 'error')}`);
  const aside = warnings.length > 0 ? `, ${pluralize(warnings.length, 'warning')}` : '';
  return [
    ...[...errors, ...warnings].map((problem) => describeProblem(problem, file, paint)),
    ...optimizations.map((change) =>
      paint.dim(`${isOptimized ? 'optimized' : 'with --optimize'}: ${change}`),
    ),
    `${verdict}${aside}`,
  ].join('\n');
}

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

/** `FILE:LINE: STEP: message`, as editors and people read it, one line each. */
export function describeProblem(problem: PlanProblem, file: string, paint: Paint): string {
  const { step, line, message, severity } = problem;
  const where = [
    problem.file ?? (file === '-' ? 'stdin' : file),
    ...(line === null ? [] : [line]),
  ].join(':');
  const mark = severity === 'error' ? '' : `${paint.yellow('warning:')} `;
  return `${paint.bold(singleLine(where))}: ${mark}${singleLine(step === null ? message : `${step}: ${message}`)}`;
}

/** The plan in a file, or on standard input when the name is `-`; its sub-plans lie beside the file. */
export async function readPlanSource(name: string, io: Io): Promise<PlanSource> {
  const text = await readInput(name, io);
  return { kind: 'text', text, ...(name !== '-' && { file: resolve(io.cwd, name) }) };
}
