import type { TraceAttempt } from '../agents/index.ts';
import type { Agent } from '../contract/agent/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { ModelCall, ModelRequest, Models, ModelUsage } from '../contract/model/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { SandboxHere } from './sandbox.ts';

type Tracer = Pick<Tracing, 'traced'>;
type Attributes = Readonly<Record<string, string | number>>;

/** Every turn of a model has a span, with what it used. Its messages stay out of it. */
export function traceModels(models: Models, tracing: Tracer): Models {
  const turn = <Result extends { readonly model: string; readonly usage: ModelUsage }>(
    role: string,
    { request, call }: { readonly request: ModelRequest; readonly call: ModelCall },
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const attributes: Attributes = {
      'gen_ai.operation.name': 'chat',
      'tutti.model.role': role,
      ...(request.maxOutputTokens !== undefined && {
        'gen_ai.request.max_tokens': request.maxOutputTokens,
      }),
    };
    const start = {
      name: `chat ${role}`,
      kind: 'client',
      attributes,
      caller: call.caller,
    } as const;
    return tracing.traced(start, async (span) => {
      const result = await work();
      span.setAttributes({
        'gen_ai.request.model': result.model,
        'gen_ai.usage.input_tokens': result.usage.inputTokens,
        'gen_ai.usage.output_tokens': result.usage.outputTokens,
        'tutti.cost_usd': result.usage.costUsd ?? undefined,
        'tutti.model.attempts': 'attempts' in result ? Number(result.attempts) : undefined,
      });
      return result;
    });
  };
  return Object.assign(Object.create(models), {
    text: (role, request, call) =>
      turn(role, { request, call }, () => models.text(role, request, call)),
    structured: (role, request, call) =>
      turn(role, { request, call }, () => models.structured(role, request, call)),
  } satisfies Pick<Models, 'text' | 'structured'>);
}

/** Searches and changes of what is remembered; neither text nor query is recorded. */
export function traceMemory(items: MemoryItems, tracing: Tracer): MemoryItems {
  const traced = <Result>(
    operation: string,
    caller: { readonly id: string },
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const attributes = { 'gen_ai.operation.name': operation };
    const start = { name: `${operation} tutti`, kind: 'internal', attributes, caller } as const;
    return tracing.traced(start, work);
  };
  return Object.assign(Object.create(items), {
    search: (query) => traced('search_memory', query.caller, () => items.search(query)),
    remember: (caller, memory) =>
      traced('create_memory', caller, () => items.remember(caller, memory)),
    correct: (caller, id, memory) =>
      traced('update_memory', caller, () => items.correct(caller, id, memory)),
    forget: (caller, ids) => traced('delete_memory', caller, () => items.forget(caller, ids)),
  } satisfies Pick<MemoryItems, 'search' | 'remember' | 'correct' | 'forget'>);
}

/** What the agent does for one message is one span, under which its turns, searches and calls are. */
export function traceAgent(agent: Agent, tracing: Tracer): Agent {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'tutti' };
  return Object.assign(Object.create(agent), {
    ask: (request, options) => {
      const { caller } = request;
      const start = { name: 'invoke_agent tutti', kind: 'internal', attributes, caller } as const;
      return tracing.traced(start, async (span) => {
        const outcome = await agent.ask(request, options);
        span.setAttributes({
          'tutti.agent.outcome': outcome.kind,
          'tutti.run.id': 'runId' in outcome ? (outcome.runId ?? undefined) : undefined,
        });
        return outcome;
      });
    },
  } satisfies Pick<Agent, 'ask'>);
}

/** A task of one of the agents that tasks are delegated to; its text stays out of the span. */
export function traceAttempts(tracing: Tracer): TraceAttempt {
  return ({ agent, version, context: { caller, meta } }, work) => {
    const start = {
      name: `invoke_agent ${agent}`,
      kind: 'internal',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'gen_ai.agent.version': version,
      },
      parentMeta: meta,
      caller,
    } as const;
    return tracing.traced(start, async (span) => {
      const result = await work();
      span.setAttributes({
        'tutti.agent.outcome': result.verdict,
        'tutti.run.id': result.run_id ?? undefined,
      });
      if (result.verdict === 'failed') {
        span.setAttributes({ 'error.type': 'agents.not_done' });
        span.fail(result.error ?? result.summary);
      }
      if (result.verdict === 'cancelled') span.cancel();
      return result;
    });
  };
}

/** A program in the sandbox: what does not belong to the program was spent on starting it. */
export function traceSandbox(here: SandboxHere, tracing: Tracer): SandboxHere {
  const get: SandboxHere['get'] = async () => {
    const sandbox = await here.get();
    return {
      toolchain: (name) => sandbox.toolchain(name),
      examine: () => sandbox.examine(),
      pool: () => sandbox.pool(),
      close: () => sandbox.close(),
      run: (run, watch) => {
        const start = { name: `sandbox ${run.toolchain}`, kind: 'internal' } as const;
        return tracing.traced(start, async (span) => {
          const startedAt = performance.now();
          const result = await sandbox.run(run, watch);
          const startMs = performance.now() - startedAt - result.usage.wallMs;
          span.setAttributes({
            'tutti.sandbox.driver': result.driver,
            'tutti.sandbox.warm': result.wasWarm,
            'tutti.sandbox.status': result.status,
            'tutti.sandbox.reason': result.reason ?? undefined,
            'tutti.sandbox.start_ms': Math.max(0, startMs),
          });
          return result;
        });
      },
    };
  };
  return { ...here, get };
}
