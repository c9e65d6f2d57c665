import { expect, it } from 'vitest';
import { rulesFor } from './measure-complexity.ts';

it.each(['python', 'javascript', 'typescript', 'java', 'go', 'rust'] as const)(
  'has conditions in code for all that complexity.yaml of %s names',
  (language) => {
    const { scopes, conditions, calls, callee } = rulesFor(language);
    const named = Object.values(scopes).flatMap((rules) => rules.flatMap(({ when }) => when ?? []));
    expect(named.toSorted()).toEqual(Object.keys(conditions ?? {}).toSorted());
    expect(calls === undefined).toBe(callee === undefined);
  },
);
