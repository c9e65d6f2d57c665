import { z } from 'zod';
import { about, choice, decimal, flag, wholeNumber } from './traits.ts';

export const agentSettings = z
  .strictObject({
    max_rounds: wholeNumber(
      [1, 1_000],
      8,
      'Rounds (a plan, its run and a look at the results) for one request.',
    ),
    max_calls: wholeNumber([1, 100_000], 60, 'Tool calls of all rounds of one request together.'),
    max_tokens: wholeNumber(
      [1, 1_000_000_000],
      400_000,
      'Tokens that the rounds of one request may use, the models its tools ask included. The budgets of the session and of each run hold, too.',
    ),
    max_cost_usd: decimal(
      [0, 1_000_000],
      4,
      'US dollars the same may cost, where the prices of the models are set.',
    ),
    max_minutes: decimal(
      [0.01, 10_000],
      30,
      'Minutes of work on one request; waiting for you does not count.',
    ),
  })
  .meta(
    about(
      'Where the agent stops when a request takes several rounds. "continue" grants it the same again.',
      {
        isUserOnly: true,
      },
    ),
  );

const noLoops = z
  .boolean()
  .refine((isAllowed) => !isAllowed)
  .meta(about('Never.', { expected: 'false, because plans do not loop' }));

export const planningSettings = z
  .strictObject({
    max_steps: wholeNumber(
      [1, 1_000],
      10,
      'Maximum number of steps in a plan that the agent proposes.',
    ),
    allow_loops: noLoops
      .default(false)
      .meta(about('Whether plans may loop. Always false: `forEach` iterates over a finite list.')),
    optimize_chains: flag(
      true,
      'Whether plans made by the agent are optimized: unused steps are dropped, identical read-only calls merged. Written plans are optimized only with `--optimize`.',
    ),
    preview: choice(
      ['effects', 'always', 'never'],
      'effects',
      'Which plans of a model are previewed before they run: `effects` those with a step that is not read-only, sends data out or reads files that the user did not name, `always` all, `never` none. Plans made without a model are always previewed.',
      { isUserOnly: true },
    ),
    approval: choice(
      ['effects', 'destructive', 'plan'],
      'effects',
      'Steps in plans of the agent that need approval: `effects` all that are not read-only or send data out, `destructive` those that may destroy something or send data out, `plan` only those that `workflow.approval` requires.',
      { isUserOnly: true },
    ),
  })
  .meta(about('Plans the agent makes.'));

/** A downloaded project must not switch questions off. */
const needsTrust = true;

export const clarificationSettings = z
  .strictObject({
    enabled: flag(true, 'Whether the agent asks if a message is unclear; otherwise it guesses.', {
      needsTrust,
    }),
    max_questions: wholeNumber([1, 3], 3, 'Maximum number of questions at a time.', { needsTrust }),
    confidence_threshold: decimal(
      [0, 1],
      0.7,
      'Confidence from 0 to 1 below which the agent asks.',
      { needsTrust },
    ),
    ask_when_ambiguous: flag(true, 'Whether it also asks if the model reports an ambiguity.', {
      needsTrust,
    }),
  })
  .meta(about('Questions of the agent before it plans.'));

export const conversationSettings = z
  .strictObject({
    memory_size: wholeNumber(
      [0, 1_000],
      10,
      'Number of conversation turns sent to the model verbatim, as far as they fit.',
    ),
    context_window: wholeNumber(
      [256, 10_000_000],
      4_000,
      'Maximum number of conversation tokens sent to the model with a message.',
    ),
    save_sessions: flag(
      true,
      'Also write every session to a JSON file. Sessions are always stored in the database.',
    ),
    session_dir: z
      .string()
      .min(1)
      .meta(about('Folder for these files.', { isPath: true, defaultText: '`<home>/sessions`' })),
  })
  .meta(about('Conversations with the agent.', { isUserOnly: true }));

const weight = (value: number, what: string) =>
  decimal([0, 100], value, `Weight of ${what} in the score of an agent.`);

const weightSettings = z
  .strictObject({
    success: weight(1, 'the expected success for this class of tasks'),
    health: weight(0.2, 'health'),
    load: weight(0.1, 'spare capacity'),
    cost: weight(0.1, 'low cost, relative to the cheapest candidate,'),
    latency: weight(0.05, 'speed, relative to the fastest candidate,'),
  })
  .meta(about('How much each criterion counts when an agent is chosen.'));

const choiceSettings = z
  .strictObject({
    weights: weightSettings,
    exploration: decimal(
      [0, 0.05],
      0.05,
      'Largest probability that a task goes to an agent that does not rank first, to learn about it. Tasks that may have effects are never explored with.',
    ),
  })
  .meta(about('Choice among agents that can do a task.'));

const guardrailSettings = z
  .strictObject({
    cost: decimal([1, 100], 1.5, 'How many times the cost of the current version.'),
    time: decimal([1, 100], 1.5, 'How many times its time.'),
    refusals: decimal([0, 1], 0.1, 'How much larger a part of the tasks may be refused.'),
  })
  .meta(about('What a new version of an agent may not exceed; if it does, it is rolled back.'));

const versionSettings = z
  .strictObject({
    share: decimal([0.01, 0.5], 0.2, 'Part of the tasks that a new version gets.'),
    risk: decimal(
      [0.001, 0.2],
      0.05,
      'Largest probability that a version is promoted that is not better, however often results are looked at.',
    ),
    probation: wholeNumber(
      [20, 10_000],
      150,
      'Outcomes of a new version after which it is rolled back unless it has shown to be less than `margin` worse.',
    ),
    margin: decimal([0.01, 1], 0.1, 'Success (0 to 1) that it may not be worse by.'),
    guardrails: guardrailSettings,
  })
  .meta(about('Comparing a new version of an agent with the current one.'));

export const agentsSettings = z
  .strictObject({ choice: choiceSettings, versions: versionSettings })
  .meta(
    about('Agents: which one does a task, and when a new version replaces one.', {
      isUserOnly: true,
    }),
  );
