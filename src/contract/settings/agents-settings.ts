import { z } from 'zod';
import { about, decimal, wholeNumber } from './traits.ts';

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
