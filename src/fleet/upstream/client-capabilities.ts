import type { ClientPort, ClientRequest } from '../../contract/server/index.ts';
import { isRecord, rpcErrorCode, type Params, type RpcError } from '../../protocol/index.ts';

/** The capability a client needs to be asked with a method. */
const needed: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

export function isAskable(method: string): boolean {
  return needed.has(method);
}

/**
 * Why a client cannot be asked this, in the words the specification gives for a client without the
 * capability (method not found) or without the mode or option (invalid params); undefined when it can.
 */
export function refusalOf(
  client: ClientPort,
  method: string,
  params: Params,
): RpcError | undefined {
  const name = needed.get(method);
  if (name === undefined) {
    return { code: rpcErrorCode.methodNotFound, message: `Method not found: ${method}` };
  }
  const capability = client.capabilities[name];
  if (!isRecord(capability)) {
    return {
      code: rpcErrorCode.methodNotFound,
      message: `The client that made this call does not support ${name}`,
    };
  }
  const missing = missingOption(method, params, capability);
  if (missing === undefined) return undefined;
  return {
    code: rpcErrorCode.invalidParams,
    message: `The client that made this call does not support ${missing}`,
  };
}

function missingOption(method: string, params: Params, capability: Params): string | undefined {
  if (method === 'elicitation/create') {
    const { mode = 'form' } = params;
    // An empty capability means forms: it is how clients declared them before there were modes.
    const isOld = capability['form'] === undefined && capability['url'] === undefined;
    const hasMode = mode === 'form' ? isOld || isRecord(capability['form']) : false;
    if (hasMode || (mode === 'url' && isRecord(capability['url']))) return undefined;
    return `elicitation in mode "${String(mode)}"`;
  }
  if (method === 'sampling/createMessage') {
    const wantsTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    if (wantsTools && !isRecord(capability['tools'])) return 'sampling with tools';
  }
  return undefined;
}

/** Where a question names the server it comes from, for programs. */
const serverMetaKey = 'tutti/server';

/** A question that says which server asks: clients know no other server than Tutti. */
export function withServerName(server: string, { method, params }: ClientRequest): ClientRequest {
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
