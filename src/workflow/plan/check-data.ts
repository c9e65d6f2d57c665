import type { DocumentProblem } from './plan-document.ts';
import { maxProblems } from './plan-notes.ts';

export interface DataLimits {
  readonly maxDepth: number;
  readonly maxNodes: number;
}

type Found = Omit<DocumentProblem, 'line'>;

interface Visit {
  readonly value: unknown;
  readonly segment: string | number | null;
  readonly parent: Visit | null;
  readonly depth: number;
}

/**
 * Whether data is JSON of a bearable size and depth, without keys that reach for prototypes. Does not
 * recurse, and ends at the first limit that is passed.
 */
export function checkData(data: unknown, { maxDepth, maxNodes }: DataLimits): readonly Found[] {
  const problems: Found[] = [];
  const open: Visit[] = [{ value: data, segment: null, parent: null, depth: 0 }];
  let nodes = 0;
  for (let visit = open.pop(); visit && problems.length < maxProblems; visit = open.pop()) {
    nodes += 1;
    if (nodes > maxNodes) {
      const message = `The plan has more than ${maxNodes} values`;
      return [...problems, { at: [], code: 'plan.too_large', message }];
    }
    if (visit.depth > maxDepth) {
      const message = `It is nested more than ${maxDepth} levels deep`;
      // The path to something that deep helps nobody.
      return [...problems, { at: pathOf(visit).slice(0, 4), code: 'plan.too_deep', message }];
    }
    const wrong = wrongWith(visit.value);
    if (wrong !== undefined) problems.push({ at: pathOf(visit), ...wrong });
    else pushInner(visit, open, problems);
  }
  return problems;
}

function pushInner(visit: Visit, open: Visit[], problems: Found[]): void {
  const { value, depth } = visit;
  if (typeof value !== 'object' || value === null) return;
  const entries: readonly [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [segment, inner] of entries) {
    const next: Visit = { value: inner, segment, parent: visit, depth: depth + 1 };
    if (isForbidden(segment, inner)) {
      const message = `The key "${segment}" is not allowed: it reaches for the prototype of objects`;
      problems.push({ at: pathOf(next), code: 'plan.forbidden_key', message });
    } else open.push(next);
  }
}

function isForbidden(key: string | number, value: unknown): boolean {
  if (key === '__proto__') return true;
  if (key !== 'constructor' || typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, 'prototype') || Object.hasOwn(value, '__proto__');
}

function wrongWith(value: unknown): { code: string; message: string } | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : notJson(`the number ${value}`);
  }
  if (typeof value !== 'object') return notJson(typeof value);
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  return notJson('an object of a class');
}

function notJson(what: string): { code: string; message: string } {
  return { code: 'plan.wrong_value', message: `JSON has no such value: ${what}` };
}

function pathOf(visit: Visit): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Visit | null = visit; at?.parent; at = at.parent) path.push(at.segment ?? '');
  return path.reverse();
}
