import { z } from 'zod';
import { httpUrl, seconds, secretText } from './scalars.ts';
import { about } from './traits.ts';

const maxPrice = 100_000;
const maxTokens = 1_000_000_000;

/** Printable, without the `/` that stands between it and the model's own name. */
const providerName = z
  .string()
  .regex(/^(?!__proto__$)[^\p{Cc}/]{1,64}$/u)
  .meta(about('A name.', { expected: 'a name of 1 to 64 printable characters without a slash' }));

const price = z.number().min(0).max(maxPrice).optional();

/** One entry of `models.providers`. */
export const modelProviderSettings = z
  .strictObject({
    kind: z
      .enum(['openai', 'anthropic', 'ollama', 'llama-server', 'chat', 'gguf'])
      .meta(
        about(
          'How it is asked: `openai` is every address that speaks OpenAI’s chat protocol, `chat` one that takes `{messages}` and gives `{response}`, `gguf` a file that runs in this process.',
        ),
      ),
    url: httpUrl
      .optional()
      .meta(about('Its address.', { isAddress: true, defaultText: 'that of the kind' })),
    model: z
      .string()
      .min(1)
      .optional()
      .meta(about('The model’s own name.', { defaultText: 'the first one the server lists' })),
    api_key: secretText.optional().meta(about('Key that is sent along.')),
    path: z
      .string()
      .min(1)
      .optional()
      .meta(about('The file of a `gguf`.', { isPath: true })),
    context_tokens: z
      .int()
      .min(256)
      .max(maxTokens)
      .optional()
      .meta(about('How much it takes; longer requests are not sent to it.')),
    input_price: price.meta(about('US dollars for a million tokens it reads.')),
    output_price: price.meta(about('US dollars for a million tokens it writes.')),
  })
  .refine(({ kind, path }) => kind !== 'gguf' || path !== undefined, {
    error: 'a path beside the kind gguf',
  })
  .meta(about('A model.'));

const roles = z
  .strictObject({
    code: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about('Models that write programs and tests, in the order in which they are asked.', {
          defaultText: 'all',
        }),
      ),
    agent: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about('Models that understand requests, plan and answer, in the order they are asked.', {
          defaultText: 'all',
        }),
      ),
  })
  .meta(
    about('Which models are asked for what, by their names in `providers`.', { isUserOnly: true }),
  );

const tokenLimit = z.int().min(1).max(maxTokens);
const usdLimit = z.number().min(0).max(1_000_000);

const budget = z
  .strictObject({
    run_tokens: tokenLimit
      .default(500_000)
      .meta(about('Tokens that one run may use, questions and answers together.')),
    session_tokens: tokenLimit
      .default(2_000_000)
      .meta(about('Tokens that one session may use, its runs included.')),
    run_usd: usdLimit
      .default(5)
      .meta(about('US dollars that one run may cost, where the prices of the models are set.')),
    session_usd: usdLimit
      .default(20)
      .meta(about('US dollars that one session may cost, its runs included.')),
  })
  .meta(about('Where models are stopped.', { isUserOnly: true }));

const keysAndEndpoints = {
  code_endpoint: httpUrl.optional().meta(
    about(
      'Address of the model that writes code: `{messages, max_tokens, temperature}` in, `{response}` out.',
      {
        isAddress: true,
        isUserOnly: true,
        env: ['STARCODER_ENDPOINT'],
      },
    ),
  ),
  agent_endpoint: httpUrl.optional().meta(
    about('Address of the model that understands requests and plans; like `code_endpoint`.', {
      isAddress: true,
      isUserOnly: true,
      env: ['MISTRAL_ENDPOINT'],
    }),
  ),
  openai_api_key: secretText.optional().meta(
    about('Key for OpenAI. It goes to OpenAI alone; other addresses have keys of their own.', {
      isUserOnly: true,
      env: ['MCP_OPENAI_API_KEY', 'OPENAI_API_KEY'],
    }),
  ),
  anthropic_api_key: secretText
    .optional()
    .meta(about('Key for Anthropic.', { isUserOnly: true, env: ['ANTHROPIC_API_KEY'] })),
};

export const modelsSettings = z
  .strictObject({
    ...keysAndEndpoints,
    providers: z
      .record(providerName, modelProviderSettings)
      .default({})
      .meta(about('Models by a name of your choice.', { isUserOnly: true })),
    roles,
    autodetect: z
      .boolean()
      .default(true)
      .meta(
        about('Whether models that run on this machine are found without being named.', {
          isUserOnly: true,
        }),
      ),
    timeout_seconds: seconds.default(60).meta(
      about('A model that has not answered in full after this many seconds is given up.', {
        env: ['MODEL_TIMEOUT_SECONDS'],
      }),
    ),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .default(0.1)
      .meta(about('How freely models choose words; low keeps answers alike.')),
    retry_attempts: z
      .int()
      .min(1)
      .max(20)
      .default(3)
      .meta(about('How often a model that fails is asked, before the next one is.')),
    retry_delay_ms: z
      .int()
      .min(0)
      .max(60_000)
      .default(500)
      .meta(
        about('Wait before the second attempt, in milliseconds; each next one is twice as long.'),
      ),
    max_concurrent: z
      .int()
      .min(1)
      .max(1_000)
      .default(4)
      .meta(about('Requests to models at the same time; the next ones wait.')),
    budget,
  })
  .meta(about('Language models.'));
