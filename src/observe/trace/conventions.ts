import conventions from './conventions.json' with { type: 'json' };

const known: ReadonlySet<string> = new Set(conventions.attributes);
const ownPrefix = 'tutti.';

/** The key an attribute is written under: one of the conventions or one of our own, so that it never takes a foreign meaning. */
export function attributeKey(key: string): string {
  return known.has(key) || key.startsWith(ownPrefix) ? key : `${ownPrefix}${key}`;
}
