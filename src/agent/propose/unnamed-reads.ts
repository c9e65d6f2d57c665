import { posix } from 'node:path';
import type { Json, Plan, Step } from '../../contract/plan/index.ts';
import { isReadOnly } from './capability.ts';
import type { GuardRules } from './guard-plan.ts';

/** Arguments that say what a tool reads, by their names. */
const pathKey = /^(?:.*_)?(?:path|paths|file|filename|dir|directory|folder|root|uri)$/i;

/** Tools that show texts of the whole project, the argument that chooses which, and one without which they read none. */
const choosers: ReadonlyMap<string, { readonly argument: string; readonly with?: string }> =
  new Map([
    ['workspace.search_text', { argument: 'query' }],
    ['workspace.git_diff', { argument: 'since' }],
    ['exec.run_tests', { argument: 'files', with: 'path' }],
  ]);

/** A word of fewer letters names nothing, unless it looks like a path. */
const minNameChars = 3;

/**
 * What a plan would read that the user did not name, in words or by a folder above it. Results go to the model, so
 * that a person sees such a plan first. Steps with an effect ask by themselves.
 */
export function unnamedReads(plan: Plan, rules: GuardRules): readonly string[] {
  const said = namesIn(rules.ownWords);
  const found = plan.steps.flatMap((step) => readsOf(step, { said, rules }));
  return [...new Set(found)];
}

interface Known {
  readonly said: ReadonlySet<string>;
  readonly rules: GuardRules;
}

function readsOf(step: Step, { said, rules }: Known): string[] {
  const entry = rules.capability.find(step.tool ?? '');
  if (!entry || !isReadOnly(entry.tool.annotations)) return [];
  const args = Object.entries(step.args ?? {});
  const paths = args.filter(([key]) => pathKey.test(key)).flatMap(([, value]) => textsIn(value));
  const places = paths.map(plainPath).filter((path) => path !== '.');
  const unnamed = places.filter((path) => !isNamed(path, said));
  const chooser = choosers.get(entry.name);
  const isWhole = chooser?.with === undefined || args.some(([key]) => key === chooser.with);
  if (places.length > 0 || !chooser || !isWhole) return unnamed;
  const { argument } = chooser;
  const chosen = args.filter(([key]) => key === argument).flatMap(([, value]) => textsIn(value));
  const isPlain = entry.name === 'workspace.search_text' && step.args?.['regex'] !== true;
  return chosen
    .filter((text) => !isSaid(text.toLowerCase(), said, isPlain))
    .map((text) => `${argument} ${text} in all files`);
}

/** Shorter words are in most lines of any text. */
const minSearchChars = 4;

/** A plain search for more than the user said finds fewer lines. */
function isSaid(text: string, said: ReadonlySet<string>, isPlain: boolean): boolean {
  const words = [...said].filter((word) => word.length >= minSearchChars);
  return words.some((word) => (isPlain ? text.includes(word) : text === word));
}

/** Names and values of an object too: a file that is given along is a program of the plan. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap(textsIn)
    : Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

function plainPath(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/').replace(/^file:\/\//, ''));
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

/** Itself, a folder it is in, or its end: `cart.ts` stands for `src/cart.ts`. What a reference stands for is not known. */
function isNamed(path: string, said: ReadonlySet<string>): boolean {
  if (path.includes('${')) return false;
  const parts = path.toLowerCase().split('/');
  for (let from = 0; from < parts.length; from += 1) {
    for (let to = from + 1; to <= parts.length; to += 1) {
      if (said.has(parts.slice(from, to).join('/'))) return true;
    }
  }
  return false;
}

function namesIn(words: string): ReadonlySet<string> {
  const names = words
    .toLowerCase()
    .split(/[\s"'`,;()<>[\]{}]+/)
    .map((word) => plainPath(word.replace(/^@/, '').replace(/[.:!?]+$/, '')))
    .filter((word) => word.length >= minNameChars || /[./]/.test(word));
  return new Set(names.filter((word) => word !== '.' && word !== '..' && word !== '/'));
}
