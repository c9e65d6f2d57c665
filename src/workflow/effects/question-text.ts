import type { Json } from '../../contract/plan/index.ts';
import { cutMiddle } from '../../kernel/index.ts';

/** Nobody reads more before deciding; a step before may have given any amount. */
const maxLength = 2_000;

/** What a person is asked, with what steps gave put in. */
export function questionText(message: Json): string {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return cutMiddle(text, maxLength);
}
