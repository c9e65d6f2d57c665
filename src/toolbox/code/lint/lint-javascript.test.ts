import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import { withoutSilenced } from './lint-javascript.ts';

/** The lines of the `var`s that no comment silences. */
function linesOf(text: string): number[] {
  const linter = new Linter({ configType: 'flat' });
  const linterOptions = { noInlineConfig: true };
  const messages = linter.verify(text, [{ linterOptions, rules: { 'no-var': 'error' } }]);
  return withoutSilenced(messages, linter).flatMap(({ ruleId, line }) => (ruleId ? line : []));
}

it.each([
  ['nothing', 'var a;', [1]],
  ['its line', 'var a; // eslint-disable-line\nvar b;', [2]],
  ['its line for another rule', 'var a; // eslint-disable-line no-eval', [1]],
  ['the next line', '// eslint-disable-next-line no-eval, no-var -- why\nvar a;\nvar b;', [3]],
  ['the line after its end', '/* eslint-disable-next-line\n no-var */\nvar a;', []],
  ['the rest of the text', 'var a;\n/* eslint-disable */\nvar b;\nvar c;', [1]],
  ['a part of a line', 'var a; /* eslint-disable */ var b; /* eslint-enable */ var c;', [1, 1]],
  ['a block', '/* eslint-disable no-var */\nvar a;\n/* eslint-enable no-var */\nvar b;', [4]],
  ['all but one', '/* eslint-disable */\n/* eslint-enable no-var */\nvar a;', [3]],
  ['it still', '/* eslint-disable no-var */\n/* eslint-enable no-eval */\nvar a;', []],
  [
    'it again',
    '/* eslint-disable */\n/* eslint-enable */\n/* eslint-disable no-var */\nvar a;',
    [],
  ],
  ['no text in a string', 'var a = "/* eslint-disable */";', [1]],
])('a comment silences %s', (_what, text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});
