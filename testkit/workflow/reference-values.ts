import type { Json } from '../../src/contract/plan/index.ts';

/** What references can begin with. */
export type Names = Record<string, Json | undefined>;

const reference = /\$\{([A-Za-z][\w-]*)((?:\.\w+|\[\d+\])*)\}/g;

/** The names anything in this refers to, but for what lies in plans within. */
export function namesIn(part: object): string[] {
  const text = JSON.stringify({ ...part, plan: undefined, output: undefined });
  return [...new Set([...text.matchAll(reference)].map((match) => match[1] ?? ''))];
}

export function fillIn(template: Json, names: Names): Json {
  if (Array.isArray(template)) return template.map((item) => fillIn(item, names));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(
      Object.entries(template).map(([key, value]) => [key, fillIn(value, names)]),
    );
  }
  if (typeof template !== 'string') return template;
  const [whole] = template.matchAll(reference);
  if (whole?.[0] === template) return follow(whole[1] ?? '', whole[2] ?? '', names) ?? null;
  return template.replaceAll(reference, (_, root: string, path: string) => {
    const value = follow(root, path, names);
    return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function follow(root: string, path: string, names: Names): Json | undefined {
  let value: Json | undefined = names[root];
  for (const [, name, index] of path.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Array.isArray(value) ? value[Number(index)] : value[name ?? ''];
  }
  return value;
}

/** Knows `a && b` or `a || b` of `exists(${x})`, `!exists(${x})` and `${x.y} OP number`. */
export function holdsCondition(text: string, names: Names): boolean {
  if (text.includes(' || ')) return text.split(' || ').some((part) => holdsCondition(part, names));
  if (text.includes(' && ')) return text.split(' && ').every((part) => holdsCondition(part, names));
  if (text.startsWith('!')) return !holdsCondition(text.slice(1), names);
  if (text === 'true' || text === 'false') return text === 'true';
  const [match] = text.matchAll(reference);
  const value = follow(match?.[1] ?? '', match?.[2] ?? '', names);
  if (text.startsWith('exists(')) return value !== undefined;
  const [, operator, number] = / (\S+) (\S+)$/.exec(text) ?? [];
  if (value === undefined) return operator === '!=';
  if (operator === '!=') return value !== Number(number);
  if (operator === '==') return value === Number(number);
  if (typeof value !== 'number') return false;
  return operator === '>' ? value > Number(number) : value < Number(number);
}
