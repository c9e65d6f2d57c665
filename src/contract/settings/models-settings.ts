import { z } from 'zod';
import { httpUrl, seconds, secretText } from './scalars.ts';
import { about } from './traits.ts';

export const modelsSettings = z
  .strictObject({
    code_endpoint: httpUrl.optional().meta(
      about('Address of the model that writes code.', {
        isNotUsedYet: true,
        isUserOnly: true,
        env: ['STARCODER_ENDPOINT'],
      }),
    ),
    agent_endpoint: httpUrl.optional().meta(
      about('Address of the model that understands requests and plans.', {
        isNotUsedYet: true,
        isUserOnly: true,
        env: ['MISTRAL_ENDPOINT'],
      }),
    ),
    timeout_seconds: seconds.default(60).meta(
      about('A model call is ended after this many seconds.', {
        isNotUsedYet: true,
        env: ['MODEL_TIMEOUT_SECONDS'],
      }),
    ),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .default(0.1)
      .meta(
        about('How freely models choose words; low keeps answers alike.', { isNotUsedYet: true }),
      ),
    openai_api_key: secretText.optional().meta(
      about('Key for OpenAI, or for an endpoint that speaks its protocol.', {
        isNotUsedYet: true,
        isUserOnly: true,
        env: ['MCP_OPENAI_API_KEY', 'OPENAI_API_KEY'],
      }),
    ),
    anthropic_api_key: secretText.optional().meta(
      about('Key for Anthropic.', {
        isNotUsedYet: true,
        isUserOnly: true,
        env: ['ANTHROPIC_API_KEY'],
      }),
    ),
  })
  .meta(about('Language models.'));
