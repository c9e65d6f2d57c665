import type { ClientPort, ClientRequest } from '../../contract/server/index.ts';
import { isRecord, rpcErrorCode, type Params, type RpcError } from '../../protocol/index.ts';

/** The client capability each method requires. */
const needed: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

export function isAskable(method: string): boolean {
  return needed.has(method);
}

/**
 * Why a client cannot be asked: the error the specification defines for a missing capability (method not found)
 * or a missing mode or option (invalid params). Undefined when it can.
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
    // An empty capability means form mode: clients declared it so before modes existed.
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

/** The `_meta` key that names the asking server, for programs. */
const serverMetaKey = 'tutti/server';

/** Adds the name of the asking server: clients know only Tutti. */
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
