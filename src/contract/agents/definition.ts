import { z } from 'zod';
import { planSchema } from '../plan/index.ts';

const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,32})?$/;
const agentNamePattern = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const capabilityPattern = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/;
const toolPattern = /^[A-Za-z0-9_*-]+\.[A-Za-z0-9_*.-]+$/;

/** What has to be seen in the outputs of our own tools before a task counts as done. */
export const doneChecks = [
  'tests_pass',
  'verified',
  'findings_counted',
  'no_findings',
  'changed',
  'ran',
] as const;
export type DoneCheck = (typeof doneChecks)[number];

const checkList = z.array(z.enum(doneChecks)).min(1).max(doneChecks.length);

/** Limits of one task of an agent; a caller can only narrow them. */
const agentLimitsSchema = z.strictObject({
  rounds: z.int().min(1).max(50).default(8),
  calls: z.int().min(1).max(1_000).default(60),
  tokens: z.int().min(1).max(10_000_000).default(200_000),
  money_usd: z.number().min(0).max(1_000).default(1),
  minutes: z.number().min(0.01).max(240).default(15),
  /** How many levels of other agents it may call below itself. */
  depth: z.int().min(0).max(3).default(1),
});

const procedureSchema = z.strictObject({
  /** What it cannot do without a model; shown with the result. */
  limits: z.string().max(500).optional(),
  criteria: checkList.optional(),
  plan: planSchema,
});

/** The front matter of an agent file. The Markdown below it goes to a model. */
export const agentFrontMatterSchema = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(agentNamePattern, 'small letters, digits and "-", such as "code-review"'),
  version: z.string().regex(versionPattern, 'a version such as "1.0.0"'),
  description: z.string().min(1).max(1_000),
  capabilities: z
    .array(z.string().max(64).regex(capabilityPattern, 'noun.verb, such as "tests.write"'))
    .min(1)
    .max(32),
  tools: z
    .array(
      z.string().max(128).regex(toolPattern, 'server.tool, "*" for any, such as "code.scan_*"'),
    )
    .min(1)
    .max(64),
  model: z.enum(['agent', 'code', 'none']).default('agent'),
  limits: agentLimitsSchema.prefault({}),
  criteria: checkList.default(['ran']),
  /** A JSON Schema for the run's output. */
  output: z.record(z.string(), z.json()).optional(),
  /** By capability: a plan that does it without a model. Its inputs are `task`, `context` and others. */
  procedures: z.record(z.string(), procedureSchema).default({}),
});

type AgentFrontMatter = z.output<typeof agentFrontMatterSchema>;
export type Procedure = z.output<typeof procedureSchema>;

export const agentSources = ['shipped', 'user', 'project'] as const;
export type AgentSource = (typeof agentSources)[number];

/** One version of an agent, read from its file. */
export interface AgentDefinition extends AgentFrontMatter {
  /** For a model, besides the task. */
  readonly instructions: string;
  readonly source: AgentSource;
  readonly file: string;
}

/** An agent file that is not used; the others are. */
export interface AgentProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export const agentStates = ['registered', 'ready', 'unavailable', 'draining', 'retired'] as const;
export type AgentState = (typeof agentStates)[number];

/** A version as the registry sees it now. */
export const shownAgentSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  without_model: z.array(z.string()).describe('Capabilities it has a procedure for.'),
  source: z.enum(agentSources),
  state: z.enum(agentStates),
  reason: z.string().nullable().describe('Why it is not ready.'),
  tools: z.array(z.string()).describe('What it may call of the tools there are now.'),
  health: z.number().min(0).max(1),
  running: z.int(),
  tasks: z.object({ done: z.int(), failed: z.int() }).describe('In this data directory.'),
});
export type ShownAgent = Readonly<z.output<typeof shownAgentSchema>>;
