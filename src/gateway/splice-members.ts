import { oneLine, rawMember, type Params } from '../protocol/index.ts';

/** With more members than this, finding each in the text is too slow: they are serialized again. */
const maxRebuiltMembers = 100;

/**
 * The JSON text of an object with members added or replaced; all others keep their texts. `value` is the parsed
 * `text`; members that exist only in `value` are not written.
 */
export function spliceMembers(
  text: string,
  value: Params,
  added: Readonly<Record<string, string>>,
): string {
  const names = Object.keys(added);
  const members = names.map((name) => memberText(name, added[name] ?? 'null'));
  if (!names.some((name) => Object.hasOwn(value, name))) {
    return prependMembers(text, members.join(','));
  }
  const kept = Object.keys(value).filter((name) => !Object.hasOwn(added, name));
  const rest = kept.length <= maxRebuiltMembers ? rawTexts(text, kept) : newTexts(text, added);
  return `{${[...members, ...rest].join(',')}}`;
}

const emptyObject = /^\s*\{\s*\}/;

/** The same for members that are not in the object, as one text. */
export function prependMembers(text: string, members: string): string {
  const rest = oneLine(text).slice(text.indexOf('{') + 1);
  return `{${members}${emptyObject.test(text) ? '' : ','}${rest}`;
}

function rawTexts(text: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const raw = rawMember(text, name);
    return raw === undefined ? [] : [memberText(name, oneLine(raw))];
  });
}

function newTexts(text: string, added: Readonly<Record<string, string>>): string[] {
  // Callers pass the text of an object.
  return Object.entries(JSON.parse(text) as Params)
    .filter(([name]) => !Object.hasOwn(added, name))
    .map(([name, value]) => memberText(name, JSON.stringify(value)));
}

function memberText(name: string, value: string): string {
  return `${JSON.stringify(name)}:${value}`;
}
