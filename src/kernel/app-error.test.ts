import { expect, it } from 'vitest';
import { AppError, reportError } from './app-error.ts';

class BrokenError extends AppError {
  readonly code = 'test.broken';
}

it('reports an explainable failure with its code and details', () => {
  const error = new BrokenError('It broke', { details: { part: 3 } });
  expect(reportError(error)).toEqual({
    code: 'test.broken',
    message: 'It broke',
    details: { part: 3 },
  });
});

it('names itself after its class and keeps its cause', () => {
  const cause = new Error('why');
  const error = new BrokenError('It broke', { cause });
  expect(error.name).toBe('BrokenError');
  expect(error.cause).toBe(cause);
  expect('cause' in new BrokenError('It broke')).toBe(false);
  expect(error.retryable).toBe(false);
});

it.each([
  [new TypeError('x is undefined'), 'x is undefined'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('reports everything else as a bug', (thrown, message) => {
  expect(reportError(thrown)).toEqual({ code: 'internal.bug', message, details: {} });
});
