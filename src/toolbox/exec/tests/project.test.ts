import { describe, expect, it } from 'vitest';
import { chooseFramework, noDependencies, type Project, textOf } from './project.ts';

const project = (files: Project['files']): Project => ({
  files,
  dependencies: noDependencies,
  notes: [],
});

describe('the framework of a project', () => {
  it.each([
    ['pytest', { 'test_a.py': 'def test_a(): pass' }],
    ['pytest', { 'tests/test_a.py': 'import unittest', 'conftest.py': '' }],
    ['pytest', { 'test_a.py': 'import unittest', 'pyproject.toml': '[tool.pytest.ini_options]' }],
    ['unittest', { 'test_a.py': 'import unittest\nclass A(unittest.TestCase): pass' }],
    ['node', { 'a.test.js': "const { test } = require('node:test')" }],
    ['node', { 'test/a.ts': "import { test } from 'node:test'" }],
    ['vitest', { 'a.test.ts': "import { it } from 'vitest'" }],
    ['vitest', { 'a.spec.js': 'it("x")', 'package.json': '{"devDependencies": {"vitest": "1"}}' }],
    ['go', { 'a_test.go': 'package a' }],
    ['cargo', { 'src/lib.rs': '#[cfg(test)] mod t { #[test] fn a() {} }', 'Cargo.toml': '' }],
    ['junit', { 'src/ATest.java': 'import org.junit.Test;' }],
  ])('is %s by its files', (framework, files) => {
    expect(chooseFramework(project(files), 'auto')).toEqual({ framework, notes: [] });
  });

  it('is the one most test files are of, and the others are named', () => {
    const files = { 'test_a.py': '', 'a_test.go': '', 'b_test.go': '' };
    const { framework, notes } = chooseFramework(project(files), 'auto');
    expect(framework).toBe('go');
    expect(notes[0]).toContain('pytest');
  });

  it('is the one that was named, whatever the files are', () => {
    expect(chooseFramework(project({}), 'cargo').framework).toBe('cargo');
  });

  it('is unknown where no file is a test', () => {
    const files = { 'main.py': 'print(1)', 'types.d.ts': '' };
    expect(() => chooseFramework(project(files), 'auto')).toThrow(
      expect.objectContaining({ code: 'exec.no_test_framework' }),
    );
  });

  it('is found in files that came as bytes, and a name such as __proto__ is no file', () => {
    const files = { 'test_a.py': new TextEncoder().encode('import unittest') };
    expect(chooseFramework(project(files), 'auto').framework).toBe('unittest');
    expect(textOf(project({}), '__proto__')).toBe('');
  });
});
