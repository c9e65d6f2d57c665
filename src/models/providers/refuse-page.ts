import { ModelBadAnswerError } from '../errors.ts';
import { quote, type Endpoint } from './endpoint.ts';
import { messageOf } from './failure-of-status.ts';
import type { WireResponse } from './wire/wire-response.ts';

/** The response, unless it is a page for people: a proxy or a login stands before the model. */
export async function refusePage(
  response: WireResponse,
  endpoint: Endpoint,
): Promise<WireResponse> {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  if (!type.includes('html') && !type.includes('xml')) return response;
  throw badAnswer(type, await response.text(), endpoint);
}

export function badAnswer(type: string, text: string, endpoint: Endpoint): ModelBadAnswerError {
  const said = quote(messageOf(text), endpoint.key);
  const reason = `${type === '' ? 'text' : type} with ${said === '' ? 'nothing in it' : said}`;
  return new ModelBadAnswerError({ model: endpoint.model, reason });
}
