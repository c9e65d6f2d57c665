import { isRecord, type Params } from '../../protocol/index.ts';

/** The value as clients accept it: itself, a corrected copy, or undefined where it cannot be corrected. */
export type Repair = (value: unknown) => unknown;

/** The members of an object that have a type, by name; all others are passed on as they are. */
export type Shape = Readonly<Record<string, Repair>>;

export const text: Repair = (value) => (typeof value === 'string' ? value : undefined);
export const flag: Repair = (value) => (typeof value === 'boolean' ? value : undefined);
/** JSON can express numbers out of range (`1e999`), which would be serialized as null. */
export const number: Repair = (value) => (Number.isFinite(value) ? value : undefined);
export const record: Repair = (value) => (isRecord(value) ? value : undefined);

export function oneOf(...allowed: readonly unknown[]): Repair {
  return (value) => (allowed.includes(value) ? value : undefined);
}

/** A list without the items that cannot be corrected; itself where there are none. */
export function listOf(repair: Repair): Repair {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items: readonly unknown[] = value;
    const repaired = items.map(repair);
    const isSame = repaired.every((item, index) => item === items[index]);
    return isSame ? items : repaired.filter((item) => item !== undefined);
  };
}

/** An object; undefined where a member of `needed` is missing. */
export function objectOf(shape: Shape, needed: readonly string[] = []): Repair {
  return (value) => {
    if (!isRecord(value)) return undefined;
    const repaired = repairMembers(value, shape);
    return needed.every((name) => repaired[name] !== undefined) ? repaired : undefined;
  };
}

/** The object itself when it is valid; otherwise a copy with wrong members corrected or left out, and reported. */
export function repairMembers(
  value: Params,
  shape: Shape,
  onRepaired: (member: string) => void = () => {},
): Params {
  let repaired: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const repair = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const member = repair ? repair(value[name]) : value[name];
    if (member === value[name]) continue;
    repaired ??= { ...value };
    if (member === undefined) delete repaired[name];
    else repaired[name] = member;
    onRepaired(name);
  }
  return repaired ?? value;
}
