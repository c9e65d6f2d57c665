import { isRecord, type Params } from '../../protocol/index.ts';

/** The value as clients accept it: itself, a corrected copy, or undefined where it cannot be corrected. */
export type Mend = (value: unknown) => unknown;

/** The members of an object that have a type, by name; all others are passed on as they are. */
export type Shape = Readonly<Record<string, Mend>>;

export const text: Mend = (value) => (typeof value === 'string' ? value : undefined);
export const flag: Mend = (value) => (typeof value === 'boolean' ? value : undefined);
/** JSON can express numbers out of range (`1e999`), which would be serialized as null. */
export const number: Mend = (value) => (Number.isFinite(value) ? value : undefined);
export const record: Mend = (value) => (isRecord(value) ? value : undefined);

export function oneOf(...allowed: readonly unknown[]): Mend {
  return (value) => (allowed.includes(value) ? value : undefined);
}

/** A list without the items that cannot be corrected; itself where there are none. */
export function listOf(mend: Mend): Mend {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items: readonly unknown[] = value;
    const mended = items.map(mend);
    const isSame = mended.every((item, index) => item === items[index]);
    return isSame ? items : mended.filter((item) => item !== undefined);
  };
}

/** An object; undefined where a member of `needed` is missing. */
export function objectOf(shape: Shape, needed: readonly string[] = []): Mend {
  return (value) => {
    if (!isRecord(value)) return undefined;
    const mended = mendMembers(value, shape);
    return needed.every((name) => mended[name] !== undefined) ? mended : undefined;
  };
}

/** The object itself when it is valid; otherwise a copy with wrong members corrected or left out, and reported. */
export function mendMembers(
  value: Params,
  shape: Shape,
  onMended: (member: string) => void = () => {},
): Params {
  let mended: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const mend = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const member = mend ? mend(value[name]) : value[name];
    if (member === value[name]) continue;
    mended ??= { ...value };
    if (member === undefined) delete mended[name];
    else mended[name] = member;
    onMended(name);
  }
  return mended ?? value;
}
