import { describe, expect, it } from 'vitest';
import { silenceFindings } from './silence-findings.ts';

describe('a finding', () => {
  it.each([
    ['run(x)  # tutti-ignore: python/S602 the input is ours', 'python/S602'],
    ['run(x)  # tutti-ignore: S602, S603', 'python/S603'],
    ['run(x) // tutti-ignore: no-eval it is a REPL', 'javascript/no-eval'],
    ['<p> <!-- tutti-ignore: no-inline-style mail -->', 'html/no-inline-style'],
    ['SELECT 1 -- tutti-ignore: select-star small table', 'sql/select-star'],
    ['run(x)  # noqa', 'python/S602'],
    ['run(x)  # noqa: E501, S602', 'python/S602'],
    ['run(x)  # nosec B602', 'python/S602'],
    ['run(x) // #nosec G204', 'go/command-injection'],
    ['run(x) //nolint', 'go/error-ignored'],
    ['run(x) //nolint:gosec', 'go/command-injection'],
    ['run(x) // eslint-disable-line', 'javascript/command-injection'],
    ['run(x) // eslint-disable-line no-eval -- it is a REPL', 'javascript/no-eval'],
    ['key = "x"  # gitleaks:allow', 'secrets/github-token'],
    ['key = "x"  # pragma: allowlist secret', 'secrets/github-token'],
  ])('is silenced on its line by %s', (text, rule) => {
    expect(silenceFindings(text, [{ rule, line: 1 }]).silenced).toHaveLength(1);
  });

  it.each([
    ['# tutti-ignore: S602 the input is ours\nrun(x)', 'python/S602'],
    ['// eslint-disable-next-line no-eval\nrun(x)', 'javascript/no-eval'],
    ['/* eslint-disable-next-line */\nrun(x)', 'javascript/eval'],
    ['  //nolint:errcheck\nrun(x)', 'go/errcheck'],
  ])('is silenced by the line above: %s', (text, rule) => {
    expect(silenceFindings(text, [{ rule, line: 2 }]).silenced).toHaveLength(1);
  });

  it.each([
    ['another rule is named', 'run(x)  # tutti-ignore: S603', 'python/S602', 1],
    ['no rule is named', 'run(x)  # tutti-ignore:', 'python/S602', 1],
    ['the comment is for another line', 'a()  # noqa\nrun(x)', 'python/S602', 2],
    ['the comment is beside code above', 'a()  # tutti-ignore: S602\nrun(x)', 'python/S602', 2],
    ['the code is malicious', 'run(x)  # noqa', 'malicious/hidden-code', 1],
    [
      'the code is malicious, also by name',
      'x # tutti-ignore: keylogger',
      'malicious/keylogger',
      1,
    ],
    ['it only allows secrets', 'run(x)  # gitleaks:allow', 'python/S602', 1],
    ['the word is no comment', 'noqa = nosec(x)', 'python/S602', 1],
  ])('is kept when %s', (_when, text, rule, line) => {
    expect(silenceFindings(text, [{ rule, line }]).kept).toHaveLength(1);
  });

  it('that is not about security is kept by nosec', () => {
    const finding = { rule: 'python/F401', line: 1, area: 'maintainability' } as const;
    expect(silenceFindings('import os  # nosec', [finding]).kept).toHaveLength(1);
  });
});
