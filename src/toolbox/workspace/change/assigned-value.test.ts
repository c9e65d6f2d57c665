import { describe, expect, it } from 'vitest';
import { assign, findAssignments } from './assigned-value.ts';

function change(path: string, text: string, name: string, value: string): readonly string[] {
  return findAssignments(path, text, name).map(
    (one) => assign(path, one, value) ?? 'not a literal',
  );
}

describe('the value of a name', () => {
  it.each([
    ['a.py', 'DEBUG = True', 'DEBUG', 'false', 'DEBUG = False'],
    ['a.py', 'TIMEOUT: int = 30  # seconds', 'timeout', '60', 'TIMEOUT: int = 60  # seconds'],
    ['a.py', 'NAME = "shop"', 'NAME', 'new "shop"', String.raw`NAME = "new \"shop\""`],
    ['a.py', "NAME = 'shop'", 'NAME', '"store"', "NAME = 'store'"],
    ['a.py', 'LEARNING_RATE = 0.01', 'learning rate', '0.1', 'LEARNING_RATE = 0.1'],
    ['a.py', 'PORT = 80', 'PORT', 'http', 'PORT = "http"'],
    ['pyproject.toml', 'version = "0.4.2"', 'version', '0.5.0', 'version = "0.5.0"'],
    ['package.json', '  "version": "1.3.0",', 'version', '2.0.0', '  "version": "2.0.0",'],
    ['config.yaml', 'debug: yes', 'debug', 'off', 'debug: no'],
    ['config.yaml', 'title: my shop # shown', 'title', 'our shop', 'title: our shop # shown'],
    ['.env', 'API_URL=http://a/b', 'API_URL', 'http://c/d', 'API_URL=http://c/d'],
    ['s.js', 'const PORT = 3001;', 'port', '4000', 'const PORT = 4000;'],
    ['s.ts', 'export const max: number = 3;', 'max', '4', 'export const max: number = 4;'],
    ['s.ts', '  retries: 3,', 'retries', '5', '  retries: 5,'],
    ['c.go', '\tmaxWords := 1000', 'maxWords', '5000', '\tmaxWords := 5000'],
    ['A.java', '  static final int PORT = 80;', 'PORT', '81', '  static final int PORT = 81;'],
  ])('is replaced in %s: %s', (path, line, name, value, changed) => {
    expect(change(path, line, name, value)).toEqual([changed]);
  });

  it('is no comparison, condition, type, argument or longer name', () => {
    const text = [
      'if DEBUG == True:',
      'if DEBUG: return 1',
      'debug: boolean;',
      'run(debug=True)',
      'DEBUG_SQL = 1',
    ].join('\n');
    expect(change('a.ts', text, 'debug', 'false')).toEqual([]);
  });

  it('is found as it is written first, then without regard to case, and at the top first', () => {
    const text = 'Port = 1\nPORT = 2\n';
    expect(change('a.py', text, 'PORT', '3')).toEqual(['PORT = 3']);
    expect(change('a.py', text, 'port', '3')).toEqual(['Port = 3', 'PORT = 3']);
    const listed = '{\n  "version": "1",\n  "dependencies": {\n    "version": "2"\n  }\n}';
    expect(change('package.json', listed, 'version', '3')).toEqual(['  "version": "3",']);
  });

  it('is left alone where it is more than a literal', () => {
    expect(change('a.py', 'PORT = int(os.environ["PORT"])', 'PORT', '1')).toEqual([
      'not a literal',
    ]);
    expect(change('a.js', 'const ports = [', 'ports', '1')).toEqual(['not a literal']);
    expect(change('a.py', 'x = "a" + b', 'x', '1')).toEqual(['not a literal']);
  });
});
