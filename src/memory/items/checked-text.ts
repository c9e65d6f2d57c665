import { maxMemoryTextLength } from '../../contract/memory/index.ts';
import { secretPatterns } from '../../kernel/index.ts';
import { InvalidMemoryError } from '../errors.ts';
import { tellsPassword } from './tells-password.ts';

const secretShape = new RegExp(secretPatterns.flatMap(({ hide }) => hide ?? []).join('|'));

/** A text that may be remembered. Throws for one that is too long, and for what seems to be a secret. */
export function checkedText(given: string): string {
  const text = given.toWellFormed().trim();
  if (text === '') throw new InvalidMemoryError('the text is empty');
  if (text.length > maxMemoryTextLength) {
    throw new InvalidMemoryError(
      `the text has ${text.length} characters, and an item may have ${maxMemoryTextLength}`,
    );
  }
  if (secretShape.test(text) || tellsPassword(text)) {
    throw new InvalidMemoryError('the text seems to contain a secret. Keep it in the environment', {
      isSecret: true,
    });
  }
  return text;
}
