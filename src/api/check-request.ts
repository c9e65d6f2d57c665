import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { queryOf, readJsonBody, type HttpExchange } from '../http/index.ts';
import { nearest } from '../kernel/index.ts';
import { InvalidRequestError, problemRefusal, type RequestIssue } from './errors.ts';
import type { ApiLimits } from './ports.ts';

/** Each parameter once: of two values one would be ignored. */
export function readQuery(request: IncomingMessage): Readonly<Record<string, string>> {
  if (request.url?.includes('?') !== true) return noQuery;
  const query: Record<string, string> = {};
  for (const [name, value] of queryOf(request)) {
    if (Object.hasOwn(query, name)) {
      throw new InvalidRequestError([{ in: 'query', path: name, message: 'is given twice' }]);
    }
    // Defined, as a parameter may be called "__proto__".
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

const noQuery: Readonly<Record<string, string>> = Object.freeze({});

/** The JSON of a body, `{}` where there is none. Undefined when the request was refused and answered. */
export async function readBody(
  exchange: HttpExchange,
  { maxRequestBytes, maxBodyDepth }: ApiLimits,
): Promise<{ readonly value: unknown } | undefined> {
  const { headers } = exchange.request;
  const isEmpty =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (isEmpty) return { value: {} };
  const bytes = await readJsonBody(exchange, {
    maxBytes: maxRequestBytes,
    refusals: problemRefusal,
  });
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  if (text.trim() === '') return { value: {} };
  if (jsonDepth(text) > maxBodyDepth)
    throw invalidBody(`is nested deeper than ${maxBodyDepth} levels`);
  try {
    return { value: JSON.parse(text) };
  } catch {
    throw invalidBody('is not valid JSON');
  }
}

function invalidBody(message: string): InvalidRequestError {
  return new InvalidRequestError([{ in: 'body', path: '', message }]);
}

/** The value as the schema gives it, or `api.invalid_request` with everything that is wrong. */
export function checkPart<Schema extends z.ZodType>(
  part: RequestIssue['in'],
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(
    parsed.error.issues.flatMap((issue) => describeIssue(part, schema, issue)),
  );
}

type Issue = z.core.$ZodIssue;

function describeIssue(part: RequestIssue['in'], schema: z.ZodType, issue: Issue): RequestIssue[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      const proposal = meant === undefined ? '' : `; did you mean "${meant}"?`;
      return { in: part, path: pathText([...issue.path, key]), message: `is unknown${proposal}` };
    });
  }
  return [{ in: part, path: pathText(issue.path), message: issue.message }];
}

/** `steps[2].id`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The keys an object may have at this place. Paths come from values that were checked, so they end. */
function keysAt(schema: z.ZodType, [next, ...rest]: readonly PropertyKey[]): string[] {
  // Every definition of zod has a type; the other members depend on it.
  const def = schema.def as Definition;
  if (def.options)
    return def.options.flatMap((option) =>
      keysAt(option, next === undefined ? [] : [next, ...rest]),
    );
  if (def.innerType) return keysAt(def.innerType, next === undefined ? [] : [next, ...rest]);
  if (next === undefined) return Object.keys(def.shape ?? {});
  const inner = def.shape ? def.shape[String(next)] : (def.element ?? def.valueType);
  return inner ? keysAt(inner, rest) : [];
}

/** Levels of objects and lists in a JSON text; what is in quotes does not count. */
function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (isQuoted) {
      if (sign === backslash) at += 1;
      else if (sign === quote) isQuoted = false;
    } else if (sign === quote) isQuoted = true;
    else if (sign === openBrace || sign === openBracket) deepest = Math.max(deepest, (depth += 1));
    else if (sign === closeBrace || sign === closeBracket) depth -= 1;
  }
  return deepest;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  34, 92, 123, 125, 91, 93,
];
