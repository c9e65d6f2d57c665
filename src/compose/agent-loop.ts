import type { LoopRequest, ModelLoop } from '../agents/index.ts';
import type { AgentParts } from '../agent/ask/index.ts';
import type { AskOutcome } from '../contract/agent/index.ts';
import type { ModelUsage } from '../contract/model/index.ts';
import { BudgetUsedUpError } from './errors.ts';
import { agentParts, inScope, type AgentHereParts } from './agent.ts';

const maxInstructionChars = 8_000;

/** The loop of the agent of Tutti, held to the tools and limits of one agent. */
export function agentLoop(parts: AgentHereParts): ModelLoop {
  return {
    isThere: async () => (await parts.models.find('agent')) !== null,
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
  return { ...whole, models: limitModels(models, request), settings: { ...settings, limits } };
}

/** Models that are asked no more once the tokens or the money of the task are used up. */
function limitModels(
  models: AgentParts['models'],
  { budget: { tokens, moneyUsd, chain }, spent: used }: LoopRequest,
): AgentParts['models'] {
  const check = (): void => {
    if (used.tokens >= tokens) throw new BudgetUsedUpError('tokens', chain);
    if (used.moneyUsd > moneyUsd) throw new BudgetUsedUpError('money', chain);
  };
  const count = <Answer extends { readonly usage: ModelUsage }>(answer: Answer): Answer => {
    used.tokens += answer.usage.inputTokens + answer.usage.outputTokens;
    used.moneyUsd += answer.usage.costUsd ?? 0;
    return answer;
  };
  return {
    find: (...given) => models.find(...given),
    linkBudgets: (...given) => models.linkBudgets(...given),
    text: async (...given) => {
      check();
      return count(await models.text(...given));
    },
    structured: async (...given) => {
      check();
      return count(await models.structured(...given));
    },
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
