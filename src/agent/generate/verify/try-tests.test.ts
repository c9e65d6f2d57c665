import { expect, it } from 'vitest';
import { type ParsedLanguage } from '../language.ts';
import { addCanary, nameSurroundings } from './try-tests.ts';

it.each<[ParsedLanguage, string, string]>([
  ['python', 'x = datetime.now()\ny = os.environ["A"]\n', 'the time, the environment'],
  ['python', 'x = random.choice([1])\n', 'random numbers'],
  ['typescript', 'const x = new Date();\n', 'the time'],
  ['javascript', 'n.toLocaleString(undefined)', 'the environment'],
  ['go', 'h, _ := os.Hostname()\n', 'the host'],
])('names what %s reads: %j', (language, text, names) => {
  expect(nameSurroundings(language, { code: text, tests: '' })).toEqual([
    `The code reads ${names}: results may differ elsewhere.`,
  ]);
  expect(nameSurroundings(language, { code: '', tests: text })).toEqual([
    `The tests read ${names}: results may differ elsewhere.`,
  ]);
});

it('names nothing where nothing is read', () => {
  const code = 'export const day = (at) => new Date(at).getDay();\n';
  expect(nameSurroundings('javascript', { code, tests: '' })).toEqual([]);
  expect(nameSurroundings('rust', { code: 'x', tests: '' })).toEqual([]);
});

it.each<[ParsedLanguage, string, string, number]>([
  ['python', 'pytest', '', 1],
  ['python', 'unittest', '', 1],
  ['javascript', 'node', '', 2],
  ['javascript', 'node', "const { test } = require('node:test');\n", 2],
  ['typescript', 'node', '', 2],
  ['go', 'go', '', 1],
  ['rust', 'cargo', '', 1],
  ['java', 'junit', 'class A {\n}\n', 1],
  ['java', 'junit', 'import org.junit.Test;\nclass A {\n}\n', 1],
])('adds failing tests in %s with %s to %j, and knows their names', (...given) => {
  const [language, framework, tests, count] = given;
  const { text, names } = addCanary({ language, framework, tests, sign: 'S' });
  expect(names).toHaveLength(count);
  for (const name of names) expect(text.split(name)).toHaveLength(2);
  expect(text).not.toMatch(/[«»]/);
  if (tests !== '') expect(text).toContain(tests.split('\n', 1)[0]);
});
