import type { Json, Step } from '../../contract/plan/index.ts';

/**
 * A model that writes a file into `args` writes the template literals of that file, too, and `${…}` is a reference in
 * plans. In texts of several lines only what can be a reference stays one; in short texts a wrong one is a mistake that
 * the check reports.
 */
export function escapeLiterals(step: Step, ids: readonly string[]): Step {
  if (!step.args) return step;
  const roots = [
    ...ids.filter((id) => id !== step.id).map((id) => String.raw`${id}(?=[.\[}])`),
    String.raw`input\.(?:file_\d+|last_[a-z]+)\b`,
    String.raw`run\.id\b`,
    ...(step.forEach === undefined ? [] : [String.raw`(?:item|index)\b`]),
  ];
  const literal = new RegExp(String.raw`(?<!\$)\$\{(?!\s*(?:${roots.join('|')}))`, 'g');
  const escape = (value: Json): Json => {
    if (typeof value === 'string') {
      return value.includes('\n') ? value.replaceAll(literal, '$$$${') : value;
    }
    if (Array.isArray(value)) return value.map(escape);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escape(one)]));
  };
  const args = Object.entries(step.args).map(([key, value]) => [key, escape(value)] as const);
  return { ...step, args: Object.fromEntries(args) };
}
