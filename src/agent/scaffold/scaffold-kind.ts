/** What kinds of program there are templates for. */
export type ScaffoldKind = 'function' | 'class' | 'cli' | 'rest';

const signs: readonly (readonly [ScaffoldKind, RegExp])[] = [
  ['rest', /\b(?:rest|https?|api|endpoints?|crud|web ?service|microservice|backend|routes?)\b/iu],
  ['cli', /\b(?:cli|command[ -]line|terminal|console|script|shell)\b/iu],
  ['class', /\b(?:class|object|data ?structure|cache|queue|stack|store|list|tree|model)\b/iu],
];

export function scaffoldKind(description: string): ScaffoldKind {
  return signs.find(([, sign]) => sign.test(description))?.[0] ?? 'function';
}
