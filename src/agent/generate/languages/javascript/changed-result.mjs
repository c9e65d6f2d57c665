function changed_result__(value, depth = 0, keepsSize = 0) {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 1 : 0;
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'string') return value + '~';
  if (typeof value === 'boolean') return !value;
  if (value === undefined || value === null) return 0;
  const inner = (one) => (depth < 3 ? changed_result__(one, depth + 1) : one);
  const more = (part) => (keepsSize ? [] : [part]);
  if (Array.isArray(value)) return [...value.map(inner), ...more(null)];
  if (value instanceof Promise) return value.then((one) => changed_result__(one, 0, keepsSize));
  if (value instanceof Set) return new Set([...value, '~']);
  if (value instanceof Map)
    return new Map([...[...value].map(([key, one]) => [key, inner(one)]), ...more(['~', null])]);
  if (typeof value !== 'object' || Object.keys(value).length === 0)
    return Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(more(['~', null]))
      : {};
  const fields = Object.entries(value).map(([key, one]) => [key, inner(one)]);
  return Object.assign(
    Object.create(Object.getPrototypeOf(value)),
    Object.fromEntries([...fields, ...more(['~', null])]),
  );
}
