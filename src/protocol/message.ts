import { wireTextOf, withWireText } from '../contract/wire/index.ts';
import { oneLine, rawMember } from './raw-member.ts';
import { parseJson, type JsonLimits } from './parse-json.ts';
import { rpcErrorCode, type RpcError } from './rpc-error.ts';

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface Request {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Params;
}

export interface Response {
  readonly kind: 'response';
  readonly id: RequestId | null;
  readonly outcome: { readonly result: unknown } | { readonly error: RpcError };
  /** It had both a result and an error; the error counts. */
  readonly isAmbiguous?: true;
}

/** Not a message; `error` and `id` are for the error response. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly id: RequestId | null;
  readonly error: RpcError;
}

export type Message = Request | Notification | Response | Malformed;

/** Several messages in one array: only in versions before 2025-06-18. */
export interface Batch {
  readonly kind: 'batch';
  readonly messages: readonly Message[];
}

const maxBatchLength = 100;
const maxIdLength = 1_000;
const noParams: Params = Object.freeze({});

/** A message with its JSON text; empty when it was not JSON. */
export interface Decoded {
  readonly message: Message | Batch;
  readonly text: string;
}

/** Decodes one line, body or event. Never throws. */
export function decodeMessage(bytes: Buffer, limits?: JsonLimits): Message | Batch {
  return decodeWithText(bytes, limits).message;
}

/** As `decodeMessage`, with the text to pass on. */
export function decodeWithText(bytes: Buffer, limits?: JsonLimits): Decoded {
  const json = parseJson(bytes, limits);
  if (json.kind === 'parsed') {
    const { value, text } = json;
    if (Array.isArray(value)) return { message: readBatch(value), text };
    const message = readMessage(value);
    markError(message, text);
    return { message, text };
  }
  const isOverLimit = json.kind === 'too_large' || json.kind === 'too_deep';
  const code = isOverLimit ? rpcErrorCode.invalidRequest : rpcErrorCode.parseError;
  return { message: malformed(null, code, json.message), text: '' };
}

/** An error keeps its wire text to be passed on: its data may hold numbers that JavaScript cannot represent. */
function markError(message: Message, text: string): void {
  if (message.kind !== 'response' || !('error' in message.outcome)) return;
  const { error } = message.outcome;
  const raw = rawMember(text, 'error');
  const isWhole = raw !== undefined && rawMember(raw, 'message')?.startsWith('"') === true;
  if (isWhole) withWireText(error, oneLine(raw));
}

function readBatch(values: readonly unknown[]): Batch | Malformed {
  if (values.length === 0) return invalid(null, 'A batch holds at least one message');
  if (values.length > maxBatchLength) {
    return invalid(null, `A batch holds at most ${maxBatchLength} messages`);
  }
  return { kind: 'batch', messages: values.map(readMessage) };
}

function readMessage(value: unknown): Message {
  if (!isRecord(value)) return invalid(null, 'A message is a JSON object');
  const id = readId(value['id']);
  if (value['jsonrpc'] !== '2.0') return invalid(id ?? null, 'Member "jsonrpc" must be "2.0"');
  if ('method' in value) return readCall(value, id);
  if ('result' in value || 'error' in value) return readResponse(value, id);
  return invalid(id ?? null, 'A message has a "method", a "result" or an "error"');
}

function readCall(value: Params, id: RequestId | undefined): Message {
  const { method, params = noParams } = value;
  if (typeof method !== 'string') return invalid(id ?? null, 'Member "method" must be a string');
  const hasId = 'id' in value;
  if (hasId && id === undefined) {
    return invalid(
      null,
      `Member "id" must be an integer or a string of at most ${maxIdLength} characters`,
    );
  }
  if (!isRecord(params)) {
    return malformed(id ?? null, rpcErrorCode.invalidParams, 'Member "params" must be an object');
  }
  if (id === undefined) return { kind: 'notification', method, params };
  return { kind: 'request', id, method, params };
}

function readResponse(value: Params, id: RequestId | undefined): Message {
  // Some servers write `"error": null` beside every result.
  if (!('error' in value) || (value['error'] === null && 'result' in value)) {
    if (id === undefined) return invalid(null, 'A result needs the "id" of its request');
    return { kind: 'response', id, outcome: { result: value['result'] } };
  }
  const error = value['error'];
  if (!isRecord(error) || !Number.isInteger(error['code'])) {
    return invalid(id ?? null, 'Member "error" must be an object with an integer "code"');
  }
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  const data = 'data' in error ? { data: error['data'] } : {};
  // `Number.isInteger` above leaves only numbers.
  const code = error['code'] as number;
  return {
    kind: 'response',
    id: id ?? null,
    outcome: { error: { code, message, ...data } },
    ...('result' in value ? { isAmbiguous: true } : {}),
  };
}

/** Only ids that survive a round trip through JSON unchanged: a number beyond 2^53 would not. */
function readId(value: unknown): RequestId | undefined {
  if (typeof value === 'string') return value.length <= maxIdLength ? value : undefined;
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function invalid(id: RequestId | null, message: string): Malformed {
  return malformed(id, rpcErrorCode.invalidRequest, message);
}

function malformed(id: RequestId | null, code: number, message: string): Malformed {
  return { kind: 'malformed', id, error: { code, message } };
}

export function isRecord(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a result response. Throws when `result` cannot be written as JSON. */
export function encodeResult(id: RequestId, result: object): string {
  return encodeResultText(id, wireJson(result));
}

/** The same for a result that is JSON text already. */
export function encodeResultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result}}`;
}

export function encodeError(id: RequestId | null, error: RpcError): string {
  const idText = id === null ? 'null' : encodeId(id);
  return `{"jsonrpc":"2.0","id":${idText},"error":${wireJson(error)}}`;
}

export function encodeRequest(id: RequestId, method: string, params: Params): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)},"params":${wireJson(params)}}`;
}

export function encodeNotification(method: string, params?: Params): string {
  const rest = params === undefined ? '' : `,"params":${wireJson(params)}`;
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${rest}}`;
}

function encodeId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

/** The JSON text of a value on one line: its wire text where it has one. */
export function wireJson(value: object): string {
  const text = wireTextOf(value);
  return text === undefined ? JSON.stringify(value) : oneLine(text);
}
