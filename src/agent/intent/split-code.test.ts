import { describe, expect, it } from 'vitest';
import { splitCode } from './split-code.ts';

describe('code without fences', () => {
  it.each([
    ['review this:\ndef f(x):\n    return x + 1\n', 'review this:', 'def f(x):\n    return x + 1'],
    ['format this: const a={b:1}', 'format this:', 'const a={b:1}'],
    ['format this: x=1', 'format this:', 'x=1'],
    ['what does this print?\nconsole.log(1 + 1)', 'what does this print?', 'console.log(1 + 1)'],
    [
      'SELECT a FROM b WHERE c = 1\nmake it readable please',
      'make it readable please',
      'SELECT a FROM b WHERE c = 1',
    ],
    ['#include <stdio.h>\nint main() {\n  return 0;\n}\n\nany bugs?', 'any bugs?', undefined],
  ])('is found in %j', (message, prose, code) => {
    const found = splitCode(message);
    expect(found.prose).toBe(prose);
    expect(found.code).toBe(code ?? '#include <stdio.h>\nint main() {\n  return 0;\n}');
  });

  it.each([
    'import the users from the old system',
    'write a class that models a bank account',
    'find the function that returns the wrong sign',
    'let me know: is it safe?',
    'for (almost) every file: run the tests',
    'change RETRIES = 3 to RETRIES = 7',
    'replace mode = "fast" with mode = "slow"',
  ])('is not seen in %j', (message) => {
    expect(splitCode(message)).toEqual({ prose: message });
  });
});
