import { redactText } from '../redact/redact-text.ts';
import { redactValue, type ValueLimits } from '../redact/redact-value.ts';
import type { SpanAttributes } from './span.ts';
import { traceLimits } from './trace-limits.ts';
import type { SpanStart } from './tracer.ts';

const attributeLimits: ValueLimits = {
  maxDepth: 3,
  maxEntries: traceLimits.maxAttributes,
  maxValues: 1_000,
  maxStringLength: traceLimits.maxAttributeLength,
};

const noAttributes: SpanAttributes = Object.freeze({});

/** Name and attributes of a span without secrets. */
export interface RedactedStart {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/**
 * What spans begin with, without secrets. Looking for secrets costs more than the rest of a span, and
 * calls of the same tool begin alike: who passes the same attributes again gets what was found before.
 */
export class RedactedStarts {
  readonly #known = new WeakMap<SpanAttributes, RedactedStart & { readonly rawName: string }>();

  of({ name: rawName, attributes = noAttributes }: SpanStart): RedactedStart {
    const known = this.#known.get(attributes);
    if (known?.rawName === rawName) return known;
    const start = {
      rawName,
      name: redactText(rawName, traceLimits.maxNameLength),
      attributes: Object.freeze(redactAttributes(new Map(Object.entries(attributes)))),
    };
    this.#known.set(attributes, start);
    return start;
  }
}

export function redactAttributes(attributes: ReadonlyMap<string, unknown>): SpanAttributes {
  // `redactValue` makes a plain object of a map, and keeps strings, numbers, booleans and lists of them as such.
  return redactValue(attributes, attributeLimits) as SpanAttributes;
}
