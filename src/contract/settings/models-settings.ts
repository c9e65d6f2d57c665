import { z } from 'zod';
import {
  about,
  decimal,
  flag,
  httpUrl,
  optionalText,
  optionalWholeNumber,
  seconds,
  secretText,
  wholeNumber,
} from './traits.ts';

const maxPrice = 100_000;
const maxTokens = 1_000_000_000;

/** Printable, without the `/` that stands between it and the model's own name. */
const providerName = z
  .string()
  .regex(/^(?!__proto__$)[^\p{Cc}/]{1,64}$/u)
  .meta(about('A name.', { expected: 'a name of 1 to 64 printable characters without a slash' }));

const price = z.number().min(0).max(maxPrice).optional();

/** One entry of `models.providers`. */
const modelProviderSettings = z
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
    model: optionalText('The model’s own name.', { defaultText: 'the first one the server lists' }),
    api_key: secretText.optional().meta(about('Key that is sent along.')),
    path: optionalText('The file of a `gguf`.', { isPath: true }),
    context_tokens: optionalWholeNumber(
      [256, maxTokens],
      'How much it takes; longer requests are not sent to it.',
    ),
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
        about('Models that write programs and tests, in order of preference.', {
          defaultText: 'all',
        }),
      ),
    agent: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about('Models that understand requests, plan and answer, in order of preference.', {
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
      .meta(about('Maximum number of tokens per run, input and output together.')),
    session_tokens: tokenLimit
      .default(2_000_000)
      .meta(about('Maximum number of tokens per session, including its runs.')),
    run_usd: usdLimit
      .default(5)
      .meta(about('Maximum cost of a run in US dollars, if the prices of the models are set.')),
    session_usd: usdLimit
      .default(20)
      .meta(about('Maximum cost of a session in US dollars, including its runs.')),
  })
  .meta(about('Where models are stopped.', { isUserOnly: true }));

const keysAndEndpoints = {
  code_endpoint: httpUrl.optional().meta(
    about(
      'Endpoint of the model that writes code: takes `{messages, max_tokens, temperature}`, returns `{response}`.',
      {
        isAddress: true,
        isUserOnly: true,
        env: ['STARCODER_ENDPOINT'],
      },
    ),
  ),
  agent_endpoint: httpUrl.optional().meta(
    about(
      'Endpoint of the model that understands requests and plans; same protocol as `code_endpoint`.',
      {
        isAddress: true,
        isUserOnly: true,
        env: ['MISTRAL_ENDPOINT'],
      },
    ),
  ),
  openai_api_key: secretText.optional().meta(
    about('API key for OpenAI. It is only sent to OpenAI; other endpoints have their own keys.', {
      isUserOnly: true,
      env: ['MCP_OPENAI_API_KEY', 'OPENAI_API_KEY'],
    }),
  ),
  anthropic_api_key: secretText
    .optional()
    .meta(about('API key for Anthropic.', { isUserOnly: true, env: ['ANTHROPIC_API_KEY'] })),
};

export const modelsSettings = z
  .strictObject({
    ...keysAndEndpoints,
    providers: z
      .record(providerName, modelProviderSettings)
      .default({})
      .meta(about('Model providers, under names of your choice.', { isUserOnly: true })),
    roles,
    autodetect: flag(true, 'Whether models running on this machine are detected automatically.', {
      isUserOnly: true,
    }),
    timeout_seconds: seconds.default(60).meta(
      about('Time limit for a model’s complete answer, in seconds.', {
        env: ['MODEL_TIMEOUT_SECONDS'],
      }),
    ),
    temperature: decimal(
      [0, 2],
      0.1,
      'Sampling temperature; low values give more uniform answers.',
    ),
    retry_attempts: wholeNumber(
      [1, 20],
      3,
      'Number of attempts with a failing model before the next one is used.',
    ),
    retry_delay_ms: wholeNumber(
      [0, 60_000],
      500,
      'Delay before the second attempt, in milliseconds; it doubles with each further attempt.',
    ),
    max_concurrent: wholeNumber(
      [1, 1_000],
      4,
      'Maximum concurrent requests to models; further requests wait.',
    ),
    budget,
  })
  .meta(about('Language models.'));
