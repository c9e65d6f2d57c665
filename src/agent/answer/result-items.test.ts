import { describe, expect, it } from 'vitest';
import { findItems, itemLine } from './result-items.ts';

describe('the entries of a result', () => {
  it('are the list with places, wherever it lies', () => {
    const output = {
      engines: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      report: { issues: [{ severity: 'major', file: 'a.py', line: 2, rule: 'S1', message: 'no' }] },
    };
    expect(findItems(output).map(itemLine)).toEqual(['a.py:2 major S1: no']);
  });

  it.each([
    [{ path: 'src/a.ts', line: 3, column: 7, text: ' // TODO' }, 'src/a.ts:3:7: // TODO'],
    [{ path: 'src/a.ts', kind: 'file', bytes: 10 }, 'src/a.ts file'],
    [{ name: 'adds', file: 'a.test.ts', status: 'failed' }, 'a.test.ts failed: adds'],
    [{ title: 'An issue', url: 'https://example.com/1' }, 'https://example.com/1: An issue'],
    [{ name: 'only a name' }, 'only a name'],
  ])('are told in a line: %j', (entry, line) => {
    expect(findItems([entry]).map(itemLine)).toEqual([line]);
  });

  it.each([[null], ['text'], [{ a: 1 }], [[1, 2]], [{ list: [{ x: 1 }] }]])(
    'are none in %j',
    (output) => {
      expect(findItems(output)).toEqual([]);
    },
  );
});
