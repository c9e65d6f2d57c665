import { Secret } from '../../kernel/index.ts';
import { hiddenText, isSecretName, redactText } from './redact-text.ts';

/** How much of a value is kept. */
export interface ValueLimits {
  readonly maxDepth: number;
  /** Entries of one object or array. */
  readonly maxEntries: number;
  /** Values in all, at every depth. */
  readonly maxValues: number;
  readonly maxStringLength: number;
}

/**
 * A plain JSON copy without secrets: hidden by their name, by the name beside them (`{name, value}`,
 * `['--token', x]`) and by their looks. Cycles, errors, maps, bytes and hostile getters are fine;
 * what goes beyond the limits is cut and says so.
 */
export function redactValue(value: unknown, limits: ValueLimits): unknown {
  return new Redaction(limits).copy(value, 0);
}

class Redaction {
  readonly #limits: ValueLimits;
  readonly #above = new Set<object>();
  #values = 0;

  constructor(limits: ValueLimits) {
    this.#limits = limits;
  }

  copy(value: unknown, depth: number): unknown {
    this.#values += 1;
    if (typeof value !== 'object' || value === null) return this.#copyPlain(value);
    if (this.#above.has(value)) return '[circular]';
    if (depth >= this.#limits.maxDepth) return '[too deep]';
    if (this.#values > this.#limits.maxValues) return '[too much]';
    this.#above.add(value);
    try {
      return this.#copyObject(value, depth);
    } catch {
      return '[unreadable]';
    } finally {
      this.#above.delete(value);
    }
  }

  #copyPlain(value: unknown): unknown {
    if (typeof value === 'string') return redactText(value, this.#limits.maxStringLength);
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'bigint') return this.#copyPlain(String(value));
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
    return value;
  }

  #copyObject(value: object, depth: number): unknown {
    if (value instanceof Secret) return hiddenText;
    if (value instanceof Error) return this.#copyError(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Map) return this.#copyMap(value, depth);
    if (value instanceof Set) return this.#copyArray([...value.values()], depth);
    if (Array.isArray(value)) return this.#copyArray(value, depth);
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.copy(value.toJSON(), depth + 1);
    }
    return this.#copyEntries(Object.keys(value), (key) => Reflect.get(value, key), depth);
  }

  #copyError(error: Error, depth: number): unknown {
    const own = Object.keys(error).filter((key) => !['name', 'message', 'stack'].includes(key));
    const keys = ['name', 'message', ...own, 'stack'];
    if (error.cause !== undefined && !own.includes('cause')) keys.push('cause');
    if (error instanceof AggregateError && !own.includes('errors')) keys.push('errors');
    return this.#copyEntries(keys, (key) => Reflect.get(error, key), depth);
  }

  #copyMap(map: ReadonlyMap<unknown, unknown>, depth: number): unknown {
    const named = new Map([...map].map(([key, item]) => [String(key), item]));
    return this.#copyEntries([...named.keys()], (key) => named.get(key), depth);
  }

  #copyArray(items: readonly unknown[], depth: number): unknown {
    const kept = items.slice(0, this.#limits.maxEntries).map((item, index) => {
      const before = index > 0 ? items[index - 1] : undefined;
      const isNamed = typeof before === 'string' && isArgumentName(before);
      return isNamed && isHideable(item) ? hiddenText : this.copy(item, depth + 1);
    });
    const left = items.length - kept.length;
    return left > 0 ? [...kept, `[${left} more]`] : kept;
  }

  #copyEntries(
    keys: readonly string[],
    read: (key: string) => unknown,
    depth: number,
  ): Record<string, unknown> {
    const label = keys.includes('value') ? labelOf(keys, read) : undefined;
    const copied: [string, unknown][] = [];
    for (const key of keys.slice(0, this.#limits.maxEntries)) {
      const isSecret =
        isSecretName(key) || (key === 'value' && label !== undefined && isSecretName(label));
      const item = readSafely(read, key);
      const shown = isSecret && isHideable(item) ? hiddenText : this.copy(item, depth + 1);
      copied.push([redactText(key, this.#limits.maxStringLength), shown]);
    }
    const left = keys.length - copied.length;
    if (left > 0) copied.push(['…', `[${left} more]`]);
    // `fromEntries` defines keys, so that one named `__proto__` stays a plain key.
    return Object.fromEntries(copied);
  }
}

/** Booleans and nothing at all say whether there is a secret, not which. */
function isHideable(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'boolean' && value !== '';
}

/** A name and its value side by side in a list: raw headers, command-line arguments, pairs. */
function isArgumentName(text: string): boolean {
  return /^-{0,2}[\w-]{1,64}$/.test(text) && isSecretName(text);
}

/** What `{name: 'authorization', value: …}` says its value is. */
function labelOf(keys: readonly string[], read: (key: string) => unknown): string | undefined {
  for (const key of ['name', 'key', 'header', 'field']) {
    const label = keys.includes(key) ? readSafely(read, key) : undefined;
    if (typeof label === 'string') return label;
  }
  return undefined;
}

function readSafely(read: (key: string) => unknown, key: string): unknown {
  try {
    return read(key);
  } catch {
    return '[unreadable]';
  }
}
