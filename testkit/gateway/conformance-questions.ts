import type { CallContext, ClientRequest } from '../../src/contract/server/index.ts';
import type { ToolResult } from '../../src/contract/tool/index.ts';

type Members = Readonly<Record<string, unknown>>;
type Run = (args: Members, context: CallContext) => Promise<ToolResult>;

/** The tools of the official runner that ask or notify the client. */
export const askingTools: Readonly<Record<string, Run>> = {
  test_sampling: async ({ prompt }, context) => {
    const { content } = await ask(context, sampling(String(prompt)));
    return said(`LLM response: ${JSON.stringify(content)}`);
  },
  test_elicitation: async ({ message }, context) => {
    const properties = {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    };
    const answer = await ask(context, elicitation(String(message), properties));
    return said(`User response: ${JSON.stringify(answer)}`);
  },
  test_elicitation_sep1034_defaults: async (_args, context) =>
    completed(await ask(context, elicitation('Review these values', defaults))),
  test_elicitation_sep1330_enums: async (_args, context) =>
    completed(await ask(context, elicitation('Choose', enums))),
  test_streaming_elicitation: async (_args, context) =>
    completed(await ask(context, elicitation('Choose', enums))),
  test_missing_capability: async (_args, context) =>
    completed(await ask(context, sampling('Anything'))),
  test_tool_with_logging: async (_args, context) => log(context),
  test_logging_tool: async (_args, context) => log(context),
  test_input_required_result_elicitation: async (_args, context) => askByResult(context),
  test_input_required_result_sampling: async (_args, context) =>
    completed(await ask(context, sampling('What is the capital of France?'))),
  test_input_required_result_list_roots: async (_args, context) =>
    completed(await ask(context, roots)),
  test_input_required_result_request_state: async (_args, context) =>
    said(`state-ok ${JSON.stringify(await ask(context, confirmation))}`),
  test_input_required_result_tampered_state: async (_args, context) =>
    completed(await ask(context, confirmation)),
  test_input_required_result_multiple_inputs: async (_args, context) => {
    const questions = [nameQuestion, sampling('Generate a greeting'), roots];
    return completed(await Promise.all(questions.map((question) => ask(context, question))));
  },
  test_input_required_result_multi_round: async (_args, context) => {
    const name = await ask(context, nameQuestion);
    const color = await ask(context, elicitation('Step 2', { color: { type: 'string' } }));
    return completed([name, color]);
  },
  test_input_required_result_capabilities: async (_args, context) => {
    const declared = context.client?.capabilities ?? {};
    return completed(
      await ask(context, declared['elicitation'] ? nameQuestion : sampling('Generate a greeting')),
    );
  },
};

/** The one prompt that asks. */
export async function askForContext(context: CallContext): Promise<string> {
  const answer = await ask(context, elicitation('Which context?', { context: { type: 'string' } }));
  return JSON.stringify(answer);
}

async function ask({ client, signal }: CallContext, request: ClientRequest): Promise<Members> {
  if (!client) throw new Error('there is no client to ask');
  return client.ask(request, signal);
}

/** The way a server of the stateless era asks by itself: it keeps nothing between the two calls. */
function askByResult({ extra }: CallContext): ToolResult {
  const responses = extra?.['inputResponses'] as Members | undefined;
  const answer = responses?.['user_name'];
  if (answer !== undefined) return said(`Hello, ${JSON.stringify(answer)}!`);
  const deferred = { content: [], resultType: 'input_required' };
  return Object.assign(deferred, { inputRequests: { user_name: nameQuestion } });
}

function log({ client }: CallContext): ToolResult {
  for (const data of ['execution started', 'processing data', 'execution completed']) {
    client?.notify('notifications/message', { level: 'info', logger: 'tool', data });
  }
  return said('logged');
}

function elicitation(message: string, properties: Members): ClientRequest {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

function sampling(text: string): ClientRequest {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
}

const roots: ClientRequest = { method: 'roots/list', params: {} };
const nameQuestion = elicitation('What is your name?', { name: { type: 'string' } });
const confirmation = elicitation('Please confirm', { ok: { type: 'boolean' } });

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};

function completed(answer: unknown): ToolResult {
  return said(`Completed: ${JSON.stringify(answer)}`);
}

function said(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}
