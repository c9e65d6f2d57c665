import type { ScaffoldNames } from '../scaffold-names.ts';

type Name = Exclude<keyof ScaffoldNames, 'parameters'>;

/** Long templates name what is filled in as «pascal»; no language writes that. */
export function fillNames(template: string, names: ScaffoldNames): string {
  // The pattern lets just these names through.
  return template.replaceAll(
    /«(title|camel|pascal|snake|kebab)»/gu,
    (_, name) => names[name as Name],
  );
}
