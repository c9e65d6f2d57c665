import { AppError } from '../../kernel/index.ts';

/** A text holds a `${…}` that is no reference. */
export class BadReferenceError extends AppError {
  readonly code = 'plan.bad_reference';
}

/** A `when`, or another condition, that cannot be read. */
export class BadConditionError extends AppError {
  readonly code = 'plan.bad_condition';

  constructor(text: string, reason: string) {
    super(`The condition "${shorten(text)}" cannot be read: ${reason}`);
  }
}

/** A reference leads to something that is not in the value. */
export class ReferenceToNothingError extends AppError {
  readonly code = 'plan.reference_to_nothing';

  constructor(reference: string, reason: string) {
    super(`The reference ${reference} leads to nothing: ${reason}`, { details: { reference } });
  }
}

/** References filled into a text made it longer than is usable. */
export class TextTooLongError extends AppError {
  readonly code = 'plan.text_too_long';

  constructor(maxLength: number) {
    super(
      `A text was not put together: with its references filled in it has more than ${maxLength} characters. Hand the values on whole ("\${step.value}" alone)`,
      { details: { maxLength } },
    );
  }
}

const shownLength = 200;

function shorten(text: string): string {
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}
