import {
  ModelBadAnswerError,
  ModelCallError,
  ModelCutOffError,
  ModelUnreachableError,
  type ModelFailure,
} from '../errors.ts';
import { quote, type Endpoint } from './endpoint.ts';
import { lookupTable } from '../../kernel/index.ts';

const maxCauses = 8;

/** What a refused, broken or unreadable connection means; `isAnswering`: the answer had begun. */
export function failureOfWire(
  error: unknown,
  endpoint: Endpoint,
  { isAnswering }: { readonly isAnswering: boolean },
): ModelCallError {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof ModelCallError);
  if (known !== undefined) return known;
  const code = causes.map(codeOf).find((found) => found !== '') ?? '';
  const deepest = causes.at(-1);
  const said = deepest instanceof Error ? deepest.message : String(deepest);
  const failure: ModelFailure = {
    model: endpoint.model,
    reason: explain(code, quote(said, endpoint.key)),
  };
  if (code.startsWith('HPE_')) return new ModelBadAnswerError(failure);
  if (isAnswering) return new ModelCutOffError(failure);
  return new ModelUnreachableError({ ...failure, isLasting: lastingCodes.has(code) });
}

/** The error and what caused it, outermost first. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && causes.length < maxCauses) {
    causes.push(current);
    const inner: unknown =
      current instanceof AggregateError
        ? current.errors[0]
        : (current as { cause?: unknown }).cause;
    current = inner;
  }
  return causes;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const lastingCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND']);

const explanations: Readonly<Record<string, string>> = lookupTable({
  ECONNREFUSED: 'nothing listens at that address; start the server or correct the address',
  ENOTFOUND: 'there is no host of that name; correct the address',
  EAI_AGAIN: 'the name of the host could not be looked up; is there a network?',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'the host does not respond',
  HPE_HEADER_OVERFLOW: 'the headers of its response are too long',
});

function explain(code: string, said: string): string {
  const known = explanations[code];
  if (known !== undefined) return `${known} (${code})`;
  if (/SSL|CERT|TLS|^EPROTO$/.test(code)) {
    return `no secure connection (${code}: ${said}); is the address https where it should be http?`;
  }
  return said === '' ? 'the connection failed' : said;
}
