import type { Secret } from '../../kernel/index.ts';
import type { ModelLimits } from '../model-limits.ts';

/** Where a model is asked, and how it is called in errors. */
export interface Endpoint {
  /** The model as `tutti models` names it. */
  readonly model: string;
  readonly key: Secret | null;
  readonly limits: Pick<ModelLimits, 'idleMs' | 'maxWireBytes' | 'maxAnswerBytes'>;
}

/** An address as it may be shown: without a user name, a password and a query. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

/** What tells the server who asks: the key, or the name and the password that the address holds. */
export function authorizationOf(url: string, key: Secret | null): Record<string, string> {
  if (key !== null) return { authorization: `Bearer ${key.reveal()}` };
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const both = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(both).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const maxQuoted = 300;

/** Words of a server in an error of ours: one line, not long, and without the key. */
export function quote(text: string, key: Secret | null): string {
  const secret = key?.reveal() ?? '';
  const hidden = secret === '' ? text : text.replaceAll(secret, '[hidden]');
  const line = hidden
    .slice(0, maxQuoted * 4)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted)}…` : line;
}
