import type { Language } from '../../../src/contract/language/index.ts';
import { everydayGenerations } from './everyday-generations.ts';
import { badGo, goodGo } from './go-generations.ts';
import { problems, type Generated, type Problem } from './problem.ts';
import { badPython, goodPython } from './python-generations.ts';
import { badScripts, goodScript } from './script-generations.ts';

export interface Generation extends Generated {
  /** `python: tests that fail (clamp, seed 2)`. */
  readonly name: string;
  readonly kind: string;
  readonly language: Language;
}

const seeds = [1, 2];

/** Every kind of bad generation, each for another problem in each seed. */
export function badGenerations(): readonly Generation[] {
  return seeds.flatMap((seed) => [
    ...spread('python', Object.entries(badPython), seed),
    ...spread('javascript', scriptKinds('javascript'), seed),
    ...spread('typescript', scriptKinds('typescript'), seed),
    ...spread('go', Object.entries(badGo), seed),
  ]);
}

/** Right code with right tests: what is checked must be able to pass. */
export function goodGenerations(): readonly Generation[] {
  const [seed = 1] = seeds;
  const everyday = everydayGenerations.map((one) => ({
    ...one,
    name: `${one.language}: ${one.kind}`,
  }));
  const small = problems(seed + 2).flatMap((problem) =>
    (
      [
        ['python', goodPython(problem)],
        ['javascript', goodScript('javascript', problem)],
        ['typescript', goodScript('typescript', problem)],
        ['go', goodGo(problem)],
      ] as const
    ).map(([language, generated]) => ({
      ...generated,
      language,
      kind: 'good',
      name: `${language}: good (${problem.name})`,
    })),
  );
  return [...everyday, ...small];
}

type Make = (problem: Problem) => Generated;

function scriptKinds(language: 'javascript' | 'typescript'): readonly (readonly [string, Make])[] {
  return Object.entries(badScripts).map(([kind, make]) => [
    kind,
    (problem) => make(language, problem),
  ]);
}

function spread(
  language: Language,
  kinds: readonly (readonly [string, Make])[],
  seed: number,
): Generation[] {
  const all = problems(seed);
  return kinds.map(([kind, make], index) => {
    const problem = all[(index + seed * 2) % all.length];
    if (!problem) throw new RangeError('there are problems');
    return {
      ...make(problem),
      kind,
      language,
      name: `${language}: ${kind} (${problem.name}, seed ${seed})`,
    };
  });
}
