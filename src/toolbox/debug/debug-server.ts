import { z } from 'zod';
import {
  describeExplanation,
  explanationSchema,
  suggestionSchema,
  type Experience,
  type Explanation,
  type FailureQuery,
} from '../../contract/experience/index.ts';
import type { CallContext, McpServer } from '../../contract/server/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { InvalidArgumentsError } from '../errors.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import texts from './tools.json' with { type: 'json' };

export interface DebugServerParts {
  readonly version: string;
  readonly experience: Pick<Experience, 'explain' | 'recordOutcome'>;
  readonly clock: Clock;
}

const maxTextLength = 100_000;

/** One of them says what failed. */
const failureFields = {
  run: z.string().max(100).optional().describe('A run, by its id or a unique beginning of it.'),
  step: z
    .string()
    .max(500)
    .optional()
    .describe('A step of the run; the last that failed without it.'),
  failure: z.string().max(100).optional().describe('A recorded failure, by its id.'),
  text: z
    .string()
    .max(maxTextLength)
    .optional()
    .describe('An error as a program printed it; it is only compared, never run.'),
  exit_code: z.int().optional().describe('The exit code that came with the text.'),
};

const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The server `debug`: why something failed, what cured it before, and how a suggestion went. */
export function createDebugServer({ version, experience, clock }: DebugServerParts): McpServer {
  return createToolboxServer({
    name: 'debug',
    title: 'Debugging',
    version,
    instructions:
      'Explains failures: explain_failure for a run or an error text, suggest_fixes for what to do with how often it helped, record_outcome after a ' +
      'suggestion was tried. Commands are suggestions; nothing is run here.',
    tools: [explainTool(experience, clock), suggestTool(experience), outcomeTool(experience)],
  });
}

function explainTool(experience: Pick<Experience, 'explain'>, clock: Clock): DefinedTool {
  return defineTool({
    ...texts.explain_failure,
    input: z.strictObject(failureFields),
    output: explanationSchema,
    annotations: readOnly,
    run: (input, context) => explain(experience, input, context),
    summarize: (shown) => describeExplanation(shown, clock.now()),
  });
}

const suggestOutput = z.object({
  is_known: z.boolean(),
  suggestions: z
    .array(suggestionSchema)
    .describe('Best first: by likeness and by measured cure rate.'),
});

function suggestTool(experience: Pick<Experience, 'explain'>): DefinedTool {
  return defineTool({
    ...texts.suggest_fixes,
    input: z.strictObject(failureFields),
    output: suggestOutput,
    annotations: readOnly,
    run: async (input, context) => {
      const { isKnown, suggestions } = await explain(experience, input, context);
      return { is_known: isKnown, suggestions };
    },
    summarize: ({ suggestions }) =>
      suggestions.length === 0
        ? 'Nothing known is like this failure.'
        : suggestions.map(({ text, fixId }) => `${text} (${fixId})`).join('\n'),
  });
}

function outcomeTool(experience: Pick<Experience, 'recordOutcome'>): DefinedTool {
  return defineTool({
    ...texts.record_outcome,
    input: z.strictObject({
      fix: z.string().min(1).max(100).describe('The fixId of a suggestion.'),
      cured: z.boolean().describe('Whether the next attempt succeeded.'),
      failure: z.string().max(100).optional().describe('The failure it was used for, by its id.'),
    }),
    output: suggestionSchema,
    annotations: { ...readOnly, readOnlyHint: false, idempotentHint: false },
    run: ({ fix: fixId, cured: isCured, failure: failureId }, { caller }) =>
      experience.recordOutcome(caller, {
        fixId,
        isCured,
        ...(failureId !== undefined && { failureId }),
      }),
    summarize: ({ fixId, cures, uses }) => `${fixId} cured ${cures} of ${uses} uses.`,
  });
}

type FailureInput = z.output<z.ZodObject<typeof failureFields>>;

function explain(
  experience: Pick<Experience, 'explain'>,
  input: FailureInput,
  { caller }: CallContext,
): Promise<Explanation> {
  return experience.explain(caller, queryOf(input));
}

function queryOf({ run, step, failure, text, exit_code: exitCode }: FailureInput): FailureQuery {
  if (run !== undefined) return { kind: 'run', runId: run, ...(step !== undefined && { step }) };
  if (failure !== undefined) return { kind: 'failure', id: failure };
  if (text === undefined) {
    throw new InvalidArgumentsError('explain_failure', ['give "run", "failure" or "text"']);
  }
  return { kind: 'text', text, ...(exitCode !== undefined && { exitCode }) };
}
