import type {
  WorkflowContext,
  WorkflowDefinition,
  WorkflowSharedContext,
} from '@restatedev/restate-sdk';
import { z } from 'zod';
import type { Json } from '../../contract/plan/index.ts';
import { runWorkflowName } from './restate-client.ts';
import type { RestateLimits } from './restate-engine.ts';
import { cancelPromise, signalPromise } from './restate-scope.ts';
import { submissionSchema, type Submission } from './submission.ts';

/** Loaded only by those who use this engine. */
export type RestateSdk = typeof import('@restatedev/restate-sdk');

/**
 * While no worker is there, every attempt to reach one counts. Restate gives a run up to a person after
 * the last, which must not happen because workers were away for a weekend.
 */
const maxAttempts = 1_000_000_000;
const firstRetryMs = 100;
const lastRetryMs = 5_000;

const signalInput = z.object({ name: z.string().min(1), payload: z.json() });

export interface RunWorkflowParts {
  readonly sdk: RestateSdk;
  readonly limits: RestateLimits;
  readonly execute: (ctx: WorkflowContext, submission: Submission) => Promise<string>;
}

/** A run, as Restate sees it: a workflow with the run's id as its key. */
export function defineRunWorkflow(parts: RunWorkflowParts): WorkflowDefinition<string, unknown> {
  const { sdk, limits, execute } = parts;
  return sdk.workflow({
    name: runWorkflowName,
    handlers: {
      run: (ctx: WorkflowContext, input: unknown) =>
        execute(ctx, parsed(sdk, submissionSchema, input)),
      signal: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext, input: unknown) => {
        const { name, payload } = parsed(sdk, signalInput, input);
        return resolveOnce(ctx, signalPromise(name), payload);
      }),
      cancel: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext) =>
        resolveOnce(ctx, cancelPromise, null),
      ),
    },
    options: {
      inactivityTimeout: limits.inactivityMs,
      abortTimeout: limits.abortMs,
      workflowRetention: limits.retentionMs,
      retryPolicy: {
        initialInterval: firstRetryMs,
        maxInterval: lastRetryMs,
        exponentiationFactor: 2,
        maxAttempts,
        onMaxAttempts: 'pause',
      },
    },
  });
}

/** The first value counts; a second one changes nothing and is no mistake. */
async function resolveOnce(ctx: WorkflowSharedContext, name: string, value: Json): Promise<void> {
  const promise = ctx.promise<Json>(name);
  const given = await promise.peek();
  if (given === undefined) await promise.resolve(value);
}

/** What nobody can make sense of is refused for good, not tried again. */
function parsed<Value>(sdk: RestateSdk, schema: z.ZodType<Value>, input: unknown): Value {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new sdk.TerminalError(z.prettifyError(result.error), { errorCode: 400 });
}
