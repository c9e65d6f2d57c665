import type { ClientRequest } from '../contract/server/index.ts';
import { isRecord, type Params } from '../protocol/index.ts';

/** The part of the client's capabilities that each request needs. */
const neededFor: ReadonlyMap<string, (params: Params) => Params> = new Map([
  ['elicitation/create', elicitationNeed],
  ['sampling/createMessage', samplingNeed],
  ['roots/list', () => ({ roots: {} })],
]);

/**
 * What a client would have to declare, and has not, to be asked this: `{ sampling: {} }`. Undefined
 * when it can be asked. What no client can be asked needs a capability of the method's own name.
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

/** Forms are what elicitation means when no kind is named. */
function isForm(part: string, elicitation: Params): boolean {
  return part === 'form' && elicitation['url'] === undefined;
}
