import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  membersOf,
  rpcCode,
  RpcFailure,
  said,
  type Exchange,
  type Members,
  type Question,
} from './exchange.ts';

type Questions = Readonly<Record<string, Question>>;

/** What is asked, round after round; then the answers make the result. */
export interface Interview {
  readonly rounds: (exchange: Exchange) => readonly Questions[];
  readonly result: (answers: Members, args: Members) => Members;
  /** The stateless era: whether the client carries a sealed state from round to round. */
  readonly hasState?: boolean;
}

/** Gives the result of the interview, or, in the stateless era, the questions of the next round. */
export async function interview(
  { rounds, result, hasState }: Interview,
  exchange: Exchange,
): Promise<Members> {
  const args = membersOf(exchange.params['arguments']);
  const all = rounds(exchange);
  if (exchange.era === 'handshake') return result(await askAll(all, exchange), args);
  const { inputResponses, requestState } = exchange.params;
  const earlier = requestState === undefined ? {} : unseal(requestState);
  const answers: Members = { ...earlier, ...validAnswers(inputResponses) };
  const open = all.find((questions) => Object.keys(questions).some((key) => !(key in answers)));
  if (!open) return result(answers, args);
  const known = Object.fromEntries(
    Object.entries(answers).filter(([key]) => all.some((questions) => key in questions)),
  );
  return {
    resultType: 'input_required',
    inputRequests: open,
    ...(hasState || all.length > 1 ? { requestState: seal(known) } : {}),
  };
}

async function askAll(rounds: readonly Questions[], exchange: Exchange): Promise<Members> {
  const answers: Record<string, unknown> = {};
  for (const questions of rounds) {
    const asked = Object.entries(questions).map(async ([key, question]) => {
      answers[key] = await exchange.ask(question);
    });
    await Promise.all(asked);
  }
  return answers;
}

function validAnswers(responses: unknown): Members {
  if (responses === undefined) return {};
  if (typeof responses !== 'object' || responses === null || Array.isArray(responses)) {
    throw new RpcFailure(rpcCode.invalidParams, 'inputResponses must be an object');
  }
  const entries = Object.entries(responses);
  if (entries.some(([, value]) => typeof value !== 'object' || value === null)) {
    throw new RpcFailure(rpcCode.invalidParams, 'Every input response must be an object');
  }
  return Object.fromEntries(entries);
}

const sealKey = 'a key of this fixture';

function seal(state: Members): string {
  const text = Buffer.from(JSON.stringify(state)).toString('base64url');
  return `${text}.${signature(text)}`;
}

function unseal(state: unknown): Members {
  const [text = '', given = ''] = typeof state === 'string' ? state.split('.') : [];
  const wanted = Buffer.from(signature(text));
  const found = Buffer.from(given);
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) {
    throw new RpcFailure(rpcCode.invalidParams, 'requestState was changed');
  }
  return membersOf(JSON.parse(Buffer.from(text, 'base64url').toString()));
}

function signature(text: string): string {
  return createHmac('sha256', sealKey).update(text).digest('hex');
}

export function form(message: string, properties: Members): Question {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

export function sampling(text: string): Question {
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
}

const string = { type: 'string' };
const roots: Question = { method: 'roots/list', params: {} };
export const nameForm = form('What is your name?', { name: string });
const confirmation = form('Please confirm', { ok: { type: 'boolean' } });

const once = (questions: Questions) => (): readonly Questions[] => [questions];
const told =
  (words: string) =>
  (answers: Members): Members =>
    said(`${words}: ${JSON.stringify(answers)}`);

const choices = ['option1', 'option2', 'option3'];
const titledChoices = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Choice ${n}` }));
const enumForm = form('Please choose', {
  untitledSingle: { type: 'string', enum: choices },
  titledSingle: { type: 'string', oneOf: titledChoices },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: choices } },
  titledMulti: { type: 'array', items: { anyOf: titledChoices } },
});
const defaultsForm = form('Please review', {
  name: { ...string, default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

/** The tools of the runner that ask the client, in whichever way the era has. */
export const askingTools: Readonly<Record<string, Interview>> = {
  test_sampling: {
    rounds: ({ params }) => [{ reply: sampling(textOf(params, 'prompt')) }],
    result: told('LLM response'),
  },
  test_elicitation: {
    rounds: ({ params }) => [
      { user: form(textOf(params, 'message'), { username: string, email: string }) },
    ],
    result: told('User response'),
  },
  test_elicitation_sep1034_defaults: {
    rounds: once({ values: defaultsForm }),
    result: told('Elicitation completed'),
  },
  test_elicitation_sep1330_enums: {
    rounds: once({ values: enumForm }),
    result: told('Elicitation completed'),
  },
  test_streaming_elicitation: { rounds: once({ user_name: nameForm }), result: told('Completed') },
  test_missing_capability: { rounds: requireSampling, result: told('Completed') },
  test_input_required_result_elicitation: {
    rounds: once({ user_name: nameForm }),
    result: told('Hello'),
  },
  test_input_required_result_sampling: {
    rounds: once({ capital_question: sampling('What is the capital of France?') }),
    result: told('Answer'),
  },
  test_input_required_result_list_roots: {
    rounds: once({ client_roots: roots }),
    result: told('Roots'),
  },
  test_input_required_result_request_state: {
    rounds: once({ confirm: confirmation }),
    result: told('state-ok'),
    hasState: true,
  },
  test_input_required_result_tampered_state: {
    rounds: once({ confirm: confirmation }),
    result: told('Confirmed'),
    hasState: true,
  },
  test_input_required_result_multiple_inputs: {
    rounds: once({
      user_name: nameForm,
      greeting: sampling('Generate a greeting'),
      client_roots: roots,
    }),
    result: told('All'),
    hasState: true,
  },
  test_input_required_result_multi_round: {
    rounds: () => [
      { step1: form('Step 1: What is your name?', { name: string }) },
      { step2: form('Step 2: What is your favorite color?', { color: string }) },
    ],
    result: told('Both steps'),
  },
  test_input_required_result_capabilities: {
    rounds: ({ capabilities }) => [
      capabilities['elicitation']
        ? { user_name: nameForm }
        : { greeting: sampling('Generate a greeting') },
    ],
    result: told('Asked'),
  },
};

/** The one prompt that asks. */
export const askingPrompt: Interview = {
  rounds: once({
    user_context: form('What context should the prompt use?', { context: string }),
  }),
  result: (answers) => ({
    messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(answers) } }],
  }),
};

function requireSampling({ capabilities }: Exchange): readonly Questions[] {
  if (capabilities['sampling']) return [{ reply: sampling('Anything') }];
  throw new RpcFailure(rpcCode.missingCapability, 'This tool needs sampling', {
    requiredCapabilities: { sampling: {} },
  });
}

function textOf(params: Members, name: string): string {
  return String(membersOf(params['arguments'])[name]);
}
