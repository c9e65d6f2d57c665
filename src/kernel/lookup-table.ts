/**
 * A table that is looked up by names from outside. It has no prototype: in a plain object `toString`, `constructor` and
 * the like would be found, too.
 */
export function lookupTable<Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.freeze(Object.assign(Object.create(null), entries));
}
