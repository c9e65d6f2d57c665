import type { MeasuredScope } from './measure-scopes.ts';

/** More parts than anybody reads; deeper names keep their inner end. */
const maxNameParts = 8;

/** The name of a scope with those around it: `Class.method`, `outer.inner`. */
export function qualifiedName(scopes: readonly MeasuredScope[], index: number): string {
  const parts: string[] = [];
  let scope = scopes[index];
  while (scope && parts.length < maxNameParts) {
    if (parts.length === 0 || isNaming(scope)) parts.unshift(scope.name);
    scope = scopes[scope.outer];
  }
  return (scope ? '….' : '') + parts.join('.');
}

/** A field's initialiser has the field's name, and so has the function it holds: once is enough. */
function isNaming(scope: MeasuredScope): boolean {
  return scope.type === 'function' || scope.type === 'class';
}
