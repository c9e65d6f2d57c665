import { AppError, nearest } from '../kernel/index.ts';

const maxShown = 100;

/** `known`: the capabilities of all agents. */
export class NoCandidatesError extends AppError {
  readonly code = 'agents.no_candidates';

  constructor(capability: string, known: readonly string[] = []) {
    const meant = nearest(capability, known);
    const hint = meant === undefined ? `They have ${known.join(', ')}` : `Did you mean "${meant}"?`;
    const isOff = known.length === 0 || known.includes(capability);
    super(
      `No agent was chosen: none of those enabled and healthy has the capability "${capability.slice(0, maxShown)}"` +
        (isOff ? '' : `. ${hint}`),
      { details: { capability: capability.slice(0, maxShown) } },
    );
  }
}

/** A request or an outcome that cannot be understood: a bug of its sender, or foreign data. */
export class InvalidChoiceError extends AppError {
  readonly code = 'agents.invalid_choice';

  constructor(reason: string) {
    super(`Nothing was chosen or recorded: ${reason}`, { details: { reason } });
  }
}

/** Decisions of other callers are unknown, too. */
export class UnknownDecisionError extends AppError {
  readonly code = 'agents.unknown_decision';

  constructor(id: string) {
    super(
      `The outcome was not recorded: there is no decision "${id.slice(0, maxShown)}" among the latest`,
      { details: { id: id.slice(0, maxShown) } },
    );
  }
}

export class ExperimentRunningError extends AppError {
  readonly code = 'agents.experiment_running';

  constructor({ agent, candidate }: { readonly agent: string; readonly candidate: string }) {
    super(
      `No experiment was started: one with version ${candidate} of agent "${agent}" is running. ` +
        `End it first: "tutti agents rollback ${agent}"`,
      { details: { agent, candidate } },
    );
  }
}

export class InvalidExperimentError extends AppError {
  readonly code = 'agents.invalid_experiment';

  constructor(reason: string) {
    super(`No experiment was started: ${reason}`, { details: { reason } });
  }
}

export class NothingToRollBackError extends AppError {
  readonly code = 'agents.nothing_to_roll_back';

  constructor(agent: string) {
    const shown = agent.slice(0, maxShown);
    super(
      `Agent "${shown}" was not rolled back: it has no experiment, and no version of it was promoted`,
      { details: { agent: shown } },
    );
  }
}

export class UnknownAgentError extends AppError {
  readonly code = 'agents.unknown_agent';

  constructor(name: string, known: readonly string[]) {
    super(
      `There is no agent "${name}". There are: ${known.join(', ')}. "tutti agents list" shows them, with what is wrong with files`,
      { details: { name, known } },
    );
  }
}

export class UnavailableAgentError extends AppError {
  readonly code = 'agents.unavailable';

  constructor(agent: string, reason: string) {
    super(`The agent ${agent} cannot work now: ${reason}`, { details: { agent, reason } });
  }
}

export class NoProcedureError extends AppError {
  readonly code = 'agents.needs_model';

  constructor(agent: string, capability: string) {
    super(
      `The agent ${agent} needs a model for ${capability}: it has no procedure for that, and no model is configured. "tutti models" says how to add one`,
      { details: { agent, capability } },
    );
  }
}

export class CircularDelegationError extends AppError {
  readonly code = 'agents.circular';

  constructor(agent: string, chain: readonly string[]) {
    super(
      `The agent ${agent} is at work on this task already (${[...chain, agent].join(' → ')}): agents do not delegate to themselves or in a circle`,
      { details: { agent, chain } },
    );
  }
}

export class NestedAgentsError extends AppError {
  readonly code = 'agents.too_deep';

  constructor(chain: readonly string[]) {
    super(
      `No further agent may be called here (${chain.join(' → ')}): the depth of the task is used up`,
      {
        details: { chain },
      },
    );
  }
}

export class BudgetExceededError extends AppError {
  readonly code = 'agents.budget_exceeded';

  constructor(what: string, chain: readonly string[]) {
    super(`The limit of ${what} for this task is used up (${chain.join(' → ')})`, {
      details: { what, chain },
    });
  }
}

export class ToolNotAllowedError extends AppError {
  readonly code = 'agents.tool_not_allowed';

  constructor(tool: string, chain: readonly string[]) {
    super(
      `${tool} was not called: the agent ${chain.at(-1) ?? ''} may not, or an agent or caller that it works for may not`,
      { details: { tool, chain } },
    );
  }
}

/** `chain` ends with the agent that was to call the tool. */
export class OutsideLimitsError extends AppError {
  readonly code = 'agents.outside_limits';

  constructor(tool: string, chain: readonly string[]) {
    const [parent, agent = ''] = [chain.at(-2), chain.at(-1)];
    const whose =
      parent === undefined ? 'what the caller may call does' : `the limits of agent "${parent}" do`;
    const remedy =
      parent === undefined
        ? ''
        : `. Add it to "tools" in the file of ${parent} if it should be allowed`;
    super(
      `The agent ${agent} did not begin: it needs ${tool}, and ${whose} not include it${remedy}`,
      {
        details: { tool, chain },
      },
    );
  }
}

export class BadBudgetError extends AppError {
  readonly code = 'agents.bad_budget';

  constructor() {
    super('The call carries a budget of agents that cannot be read, so it was refused');
  }
}

export class InvalidTaskError extends AppError {
  readonly code = 'agents.invalid_task';

  constructor(problem: string) {
    super(`The task was not given to an agent: ${problem}`);
  }
}

export class AttemptTimeError extends AppError {
  readonly code = 'agents.time_limit';

  constructor(agent: string) {
    super(`The agent ${agent} did not end within the time that the task may take, and was stopped`);
  }
}
