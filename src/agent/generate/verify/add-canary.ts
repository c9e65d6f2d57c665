import { randomBytes } from 'node:crypto';
import type { ParsedLanguage } from '../syntax-parser.ts';
import { isCommonJs } from './place-files.ts';

export interface WithCanary {
  readonly text: string;
  /** Tests that must be reported as failed. */
  readonly names: readonly string[];
}

/**
 * Adds tests that fail to a test file. A run in which they pass, or are not heard of, says nothing about the others:
 * something swallows failures, or ends the run early.
 */
export function addCanary(
  { language, tests }: { readonly language: ParsedLanguage; readonly tests: string },
  { framework, sign }: { readonly framework: string; readonly sign: string },
): WithCanary {
  const id = randomBytes(5).toString('hex');
  switch (language) {
    case 'python':
      return framework === 'unittest' ? unittestCanary(tests, id) : pytestCanary(tests, id);
    case 'javascript':
    case 'typescript':
      return scriptCanary(tests, id);
    case 'go':
      return {
        // In a file of its own, and failing only where it is asked to.
        text: `func TestC${id}(t *testing.T) {\n\tif os.Getenv("${sign}_CANARY") != "" {\n\t\tt.Errorf("1 is not %d", 2)\n\t}\n}\n`,
        names: [`TestC${id}`],
      };
    case 'rust':
      return {
        text: `${tests}\n#[test]\nfn c${id}() {\n    assert_eq!(1, 2);\n}\n`,
        names: [`c${id}`],
      };
    case 'java':
      return javaCanary(tests, id);
  }
}

function pytestCanary(tests: string, id: string): WithCanary {
  return {
    text: `${tests}\n\ndef test_c${id}():\n    assert 1 == 2\n`,
    names: [`test_c${id}`],
  };
}

function unittestCanary(tests: string, id: string): WithCanary {
  const lines = [
    `import unittest as unittest_${id}`,
    `class TestC${id}(unittest_${id}.TestCase):`,
    `    def test_c${id}(self):`,
    '        self.assertEqual(1, 2)',
  ];
  return { text: `${tests}\n\n${lines.join('\n')}\n`, names: [`test_c${id}`] };
}

/** Both of Node's assertion modules: each has functions of its own. */
function scriptCanary(tests: string, id: string): WithCanary {
  const modules = ['node:assert', 'node:assert/strict'];
  const text = modules.map((module, index) => {
    const [check, run] = [`check${index}${id}`, `run${index}${id}`];
    const imports = isCommonJs(tests)
      ? `const ${check} = require('${module}');\nconst { test: ${run} } = require('node:test');`
      : `import ${check} from '${module}';\nimport { test as ${run} } from 'node:test';`;
    return `${imports}\n${run}('c${index}${id}', () => {\n  ${check}.equal(1, 2);\n});`;
  });
  return {
    text: `${tests}\n${text.join('\n')}\n`,
    names: modules.map((_module, index) => `c${index}${id}`),
  };
}

function javaCanary(tests: string, id: string): WithCanary {
  const isOld = /\borg\.junit\.(?!jupiter)/.test(tests);
  const [annotation, assertions] = isOld
    ? ['org.junit.Test', 'org.junit.Assert']
    : ['org.junit.jupiter.api.Test', 'org.junit.jupiter.api.Assertions'];
  const end = tests.lastIndexOf('}');
  const method = `  @${annotation}\n  public void c${id}() {\n    ${assertions}.assertEquals(1, 2);\n  }\n`;
  return { text: `${tests.slice(0, end)}\n${method}${tests.slice(end)}`, names: [`c${id}`] };
}
