import { expect, it } from 'vitest';
import { languages } from '../../contract/language/index.ts';
import { parsedLanguages, readLanguage, rulesFor } from './language.ts';

it.each(languages)('%s has rules for the model', (language) => {
  expect(rulesFor(language)).toContain('The code is');
});

it.each(parsedLanguages)('%s has a grammar, a default framework and a canary', (language) => {
  const { frameworks, defaultFramework, grammar, canary } = readLanguage(language);
  expect(frameworks).toHaveProperty([defaultFramework]);
  expect(grammar.functions.size).toBeGreaterThan(0);
  expect(grammar.negate).toContain('$');
  for (const text of Object.values(canary)) expect(text).toMatch(/c\d?«id»/);
});
