import { expect, it } from 'vitest';
import type { ParsedLanguage } from '../syntax-parser.ts';
import { nameSurroundings } from './name-surroundings.ts';

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
