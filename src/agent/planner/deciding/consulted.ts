import type { Term } from '../words/read-terms.ts';

const maxLibraries = 10;
const name = String.raw`[\p{L}\p{N}@][\p{L}\p{N}@./_-]{1,60}`;
const docs = '(?:documentation|docs|manual|reference|dokumentation|documentación|documentazione)';
const docsOf = new RegExp(
  String.raw`\b${docs}\s+(?:of|for|from|von|de|di)\s+(?<names>${name}(?:(?:,\s*|\s+(?:and|und|et|y|e)\s+)${name}){0,9})`,
  'iu',
);
const docsBy = new RegExp(
  String.raw`\b(?:using|with|per|from|consult|check|following|according to|based on)\s+(?:the\s+)?(?:latest\s+|official\s+|current\s+)?(?<names>${name}?)(?:'s)?\s+${docs}\b`,
  'iu',
);
const noNames =
  /^(?:the|its|their|our|my|some|full|good|proper|and|api|with|it|then|also|please|add|write|include|\w+ing)$/iu;

/** Libraries whose documentation a text says is to be looked into, in the order they were named. */
export function consultedLibraries(text: string): readonly string[] {
  const said = (docsOf.exec(text) ?? docsBy.exec(text))?.groups?.names ?? '';
  const names = said
    .split(/,\s*|\s+(?:and|und|et|y|e)\s+/u)
    .map((one) => one.replace(/[.'’]+s?$/u, ''))
    .filter((one) => one.length > 1 && !noNames.test(one));
  return [...new Set(names)].slice(0, maxLibraries);
}

/** Whether code is to be written with the documentation of a library, or the team's standard and a library, at hand. */
export function consults(text: string, terms: readonly Term[]): boolean {
  const isByStandard =
    terms.some(({ tags }) => tags.has('n.standard')) &&
    terms.some(({ slots }) => slots.framework !== undefined);
  return isByStandard || consultedLibraries(text).length > 0;
}
