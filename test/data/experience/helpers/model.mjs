// model.mjs HOW PORT COMMAND…: runs the command while a model provider fails on the port, in the words of real ones.
import { createServer } from 'node:http';
import { run } from './run.mjs';

const [how, port, ...command] = process.argv.slice(2);
const openai = (message, code, type = 'invalid_request_error') => ({ error: { message, type, param: null, code } });
const anthropic = (type, message) => ({ type: 'error', error: { type, message } });
const answers = {
  401: openai('Incorrect API key provided: old-key. You can find your API key at https://platform.openai.com/account/api-keys.', 'invalid_api_key'),
  403: openai('Project does not have access to this resource.', 'forbidden'),
  '401-anthropic': anthropic('authentication_error', 'invalid x-api-key'),
  429: openai('Rate limit reached for gpt-5-mini in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2500. Please try again in 3s.', 'rate_limit_exceeded', 'tokens'),
  '429-quota': openai('You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota', 'insufficient_quota'),
  '429-anthropic': anthropic('rate_limit_error', 'This request would exceed your organization\'s rate limit of 40,000 input tokens per minute.'),
  404: openai('The model `big` does not exist or you do not have access to it.', 'model_not_found'),
  '404-ollama': { error: 'model "big" not found, try pulling it first' },
  '404-anthropic': anthropic('not_found_error', 'model: claude-9'),
  '400-context': openai("This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens. Please reduce the length of the messages.", 'context_length_exceeded'),
  '400-anthropic': anthropic('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
  '400-llama': { error: { code: 400, message: 'the request exceeds the available context size, try increasing it', type: 'exceed_context_size_error', n_prompt_tokens: 9120, n_ctx: 4096 } },
};
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(Number(how.slice(0, 3)), { 'content-type': 'application/json' });
  response.end(JSON.stringify(answers[how]));
});
server.listen(Number(port), '127.0.0.1', () => run(command));
