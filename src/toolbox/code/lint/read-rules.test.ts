import { expect, it } from 'vitest';
import { readRules } from './read-rules.ts';

it.each(['go', 'java', 'rust'] as const)(
  'reads a query and a message for each rule of %s',
  (language) => {
    const rules = readRules(language);
    expect(rules.length).toBeGreaterThan(25);
    for (const { name, query, message } of rules) {
      expect(query, name).toContain('@at');
      expect(message, name).toMatch(/[^.]$/);
    }
  },
);
