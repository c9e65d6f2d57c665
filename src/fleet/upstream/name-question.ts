import type { ClientRequest } from '../../contract/server/index.ts';
import { isRecord } from '../../protocol/index.ts';

/** Where a question names the server it comes from, for programs. */
const serverMetaKey = 'tutti/server';

/** A question that says which server asks: clients know no other server than Tutti. */
export function nameQuestion(server: string, { method, params }: ClientRequest): ClientRequest {
  const { _meta, message } = params;
  const own = isRecord(_meta) ? _meta : {};
  const isForPeople = method === 'elicitation/create' && typeof message === 'string';
  return {
    method,
    params: {
      ...params,
      ...(isForPeople && { message: `Server "${server}" asks: ${message}` }),
      _meta: { ...own, [serverMetaKey]: server },
    },
  };
}
