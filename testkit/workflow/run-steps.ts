import { planSchema, type Json } from '../../src/contract/plan/index.ts';
import {
  interpret,
  type RunOutcome,
  type StepProjection,
} from '../../src/workflow/interpret/index.ts';
import { compilePlan } from '../../src/workflow/plan/index.ts';
import { MemoryEngine } from './memory-engine.ts';
import { scriptedActivity, type Script } from './scripted-activity.ts';

/** A tool that gives its arguments back. */
export const echo: Script['tools'] = { 'test.echo': ({ args }) => ({ value: args.value }) };

interface Ran {
  outcome: RunOutcome;
  engine: MemoryEngine;
  changes: (StepProjection & { readonly path: string })[];
  /** The output, when it succeeded. */
  output: Json | undefined;
  error: string | undefined;
}

interface Setting extends Partial<Script> {
  output?: Json;
  input?: Record<string, Json>;
  signals?: Record<string, Json>;
  maxParallel?: number;
  maxItems?: number;
}

/** Runs steps to their end; signals are there from the beginning. */
export async function runSteps(steps: Json[], setting: Setting = {}): Promise<Ran> {
  const { signals = {}, input = {}, maxParallel = Infinity, maxItems = 100 } = setting;
  const engine = new MemoryEngine(scriptedActivity({ tools: echo, ...setting }));
  for (const [name, payload] of Object.entries(signals)) engine.signals.push({ name, payload });
  const changes: Ran['changes'] = [];
  const plan = compilePlan(
    planSchema.parse({
      input: Object.fromEntries(Object.keys(input).map((name) => [name, {}])),
      steps,
      ...(setting.output === undefined ? {} : { output: setting.output }),
    }),
  );
  const observe = (path: string, change: StepProjection): void =>
    void changes.push({ path, ...change });
  const options = { maxParallel, maxItems, observe };
  const outcome = await interpret({ plan, input }, engine.openScope(), options);
  return {
    outcome,
    engine,
    changes,
    output: outcome.kind === 'succeeded' ? outcome.output.value : undefined,
    error: outcome.kind === 'failed' ? outcome.error.code : undefined,
  };
}

/** A step that calls the tool. */
export function call(
  id: string,
  args: Record<string, Json> = {},
  more: Record<string, Json> = {},
): Record<string, Json> {
  return { id, tool: 'test.echo', args, ...more };
}
