import type { LoopRequest, ModelLoop } from '../agents/index.ts';
import type { AgentParts } from '../agent/ask/index.ts';
import type { AskOutcome } from '../contract/agent/index.ts';
import { agentBudgetMetaKey, modelLimitsOf } from '../contract/agents/index.ts';
import type { ModelCall } from '../contract/model/index.ts';
import { AppError } from '../kernel/index.ts';
import { BudgetUsedUpError } from './errors.ts';
import { agentParts, inScope, type AgentHereParts } from './agent.ts';

const maxInstructionChars = 8_000;

/** The loop of the agent of Tutti, held to the tools and limits of one agent. */
export function agentLoop(parts: AgentHereParts): ModelLoop {
  return {
    isThere: async (role) => (await parts.models.find(role)) !== null,
    run: async (request) => {
      const { createAgent } = await import('../agent/ask/index.ts');
      const whole = inScope(agentParts(parts), parts, request.caller);
      const agent = createAgent(within(whole, request));
      const { caller, context, sessionId, signal } = request;
      const begin = sessionId === null;
      const outcome = await agent.ask(
        {
          caller,
          message: begin ? messageOf(request) : 'continue',
          acceptPreview: true,
          ...(!begin && { session: sessionId }),
          ...(context !== undefined && { context }),
        },
        {
          signal,
          onEvent: (event) => {
            if (event.kind === 'run') request.onRun(event.run);
            if (event.kind === 'session') void request.onSession(event.sessionId);
          },
        },
      );
      return said(outcome);
    },
  };
}

function messageOf({ task, instructions }: LoopRequest): string {
  if (instructions === '') return task;
  return `${task}\n\nWork like this:\n${instructions.slice(0, maxInstructionChars)}`;
}

function within(whole: AgentParts, request: LoopRequest): AgentParts {
  const { budget } = request;
  const { settings, models } = whole;
  const limits = {
    maxRounds: Math.min(settings.limits.maxRounds, budget.rounds),
    maxCalls: Math.min(settings.limits.maxCalls, budget.calls),
    maxMinutes: settings.limits.maxMinutes,
  };
  return {
    ...whole,
    models: limitModels(models, request),
    workflows: limitRuns(whole.workflows, request),
    settings: { ...settings, limits },
  };
}

/** Each run that the model began is a round, and carries what the task may do. */
function limitRuns(
  workflows: AgentParts['workflows'],
  { budget, onRound }: LoopRequest,
): AgentParts['workflows'] {
  return {
    ...workflows,
    start: async (caller, run) => {
      await onRound();
      return workflows.start(caller, {
        ...run,
        meta: { ...run.meta, [agentBudgetMetaKey]: budget },
      });
    },
  };
}

/** Models that are asked no more once the tokens or the money of the task, or of one around it, are used up. */
function limitModels(
  models: AgentParts['models'],
  { budget, role }: LoopRequest,
): AgentParts['models'] {
  const limits = modelLimitsOf({ [agentBudgetMetaKey]: budget });
  const limited = (call: ModelCall): ModelCall => ({ ...call, limits });
  const explain = (error: unknown): never => {
    const { scope, unit } = Object(error instanceof AppError ? error.details : undefined);
    if (limits.every((one) => one.scope !== scope)) throw error;
    throw new BudgetUsedUpError(unit === 'tokens' ? 'tokens' : 'money', budget.chain);
  };
  return {
    find: (_role, client) => models.find(role, client),
    linkBudgets: (...given) => models.linkBudgets(...given),
    text: (_role, request, call) => models.text(role, request, limited(call)).catch(explain),
    structured: (_role, request, call) =>
      models.structured(role, request, limited(call)).catch(explain),
  };
}

function said(outcome: AskOutcome): Awaited<ReturnType<ModelLoop['run']>> {
  switch (outcome.kind) {
    case 'answer':
      return { answer: outcome.answer, isAnswered: outcome.isStopped !== true };
    case 'question':
      return {
        answer: outcome.questions.join('\n'),
        isAnswered: false,
        ...(outcome.runId !== undefined && { runId: outcome.runId }),
      };
    case 'plan':
      return { answer: outcome.preview, isAnswered: false };
    case 'refusal':
      return { answer: outcome.reason, isAnswered: false };
  }
}
