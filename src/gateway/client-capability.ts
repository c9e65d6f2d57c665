import type { ClientRequest } from '../contract/server/index.ts';
import { isRecord, type Params } from '../protocol/index.ts';

/** The client capabilities that each method requires. */
const neededFor: ReadonlyMap<string, (params: Params) => Params> = new Map([
  ['elicitation/create', elicitationNeed],
  ['sampling/createMessage', samplingNeed],
  ['roots/list', () => ({ roots: {} })],
]);

/**
 * The capabilities that a client lacks for a request: `{ sampling: {} }`. Undefined when it can be asked. An
 * unknown method requires a capability of its own name.
 */
export function missingCapability(request: ClientRequest, declared: Params): Params | undefined {
  if (request.method === 'ping') return undefined;
  const needed = neededFor.get(request.method)?.(request.params) ?? { [request.method]: {} };
  return isCovered(needed, declared) ? undefined : needed;
}

function elicitationNeed(params: Params): Params {
  return { elicitation: params['mode'] === 'url' ? { url: {} } : { form: {} } };
}

function samplingNeed(params: Params): Params {
  const needsTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
  return { sampling: needsTools ? { tools: {} } : {} };
}

function isCovered(needed: Params, declared: Params): boolean {
  for (const [name, parts] of Object.entries(needed)) {
    const own = declared[name];
    if (!isRecord(own)) return false;
    const wanted = isRecord(parts) ? Object.keys(parts) : [];
    if (!wanted.every((part) => own[part] !== undefined || isForm(part, own))) return false;
  }
  return true;
}

/** Elicitation without a mode means form mode. */
function isForm(part: string, elicitation: Params): boolean {
  return part === 'form' && elicitation['url'] === undefined;
}
