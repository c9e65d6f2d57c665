import { describe, expect, it } from 'vitest';
import { findList, itemLine } from './result-items.ts';

describe('the entries of a result', () => {
  it('are the list with places, wherever it lies', () => {
    const output = {
      engines: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      report: { issues: [{ severity: 'major', file: 'a.py', line: 2, rule: 'S1', message: 'no' }] },
    };
    expect(findList(output).items.map(itemLine)).toEqual(['a.py:2 major S1: no']);
  });

  it('are those the result names first, where several have places', () => {
    const findings = Array.from({ length: 9 }, (_, line) => ({ file: 'a.js', line, rule: 'r' }));
    const tests = [{ name: 'adds', file: 'a.test.js', status: 'failed', message: '3 !== 4' }];
    const { name, items } = findList({ tests, coverage: { files: [{ path: 'a.js' }] }, findings });
    expect(name).toBe('tests');
    expect(items.map(itemLine)).toEqual(['a.test.js failed adds: 3 !== 4']);
  });

  it.each([
    [{ issues_omitted: 8 }, 10],
    [{ issues_total: 10 }, 10],
    [{ total: 10, truncated: true }, 10],
    [{ total: 450 }, 2],
  ])('count with those left out by what stands beside them: %j', (beside, total) => {
    const issues = [{ file: 'a.py' }, { file: 'b.py' }];
    expect(findList({ issues, ...beside }).total).toBe(total);
  });

  it.each([
    [{ path: 'src/a.ts', line: 3, column: 7, text: ' // TODO' }, 'src/a.ts:3:7: // TODO'],
    [{ path: 'src/a.ts', kind: 'file', bytes: 10 }, 'src/a.ts file'],
    [{ name: 'adds', file: 'a.test.ts', status: 'failed' }, 'a.test.ts failed: adds'],
    [{ title: 'An issue', url: 'https://example.com/1' }, 'https://example.com/1: An issue'],
    [{ name: 'only a name' }, 'only a name'],
  ])('are told in a line: %j', (entry, line) => {
    expect(findList([entry]).items.map(itemLine)).toEqual([line]);
  });

  it.each([[null], ['text'], [{ a: 1 }], [[1, 2]], [{ list: [{ x: 1 }] }]])(
    'are none in %j',
    (output) => {
      expect(findList(output).items).toEqual([]);
    },
  );
});
