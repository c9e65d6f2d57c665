import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aFolder, runTutti } from './support/run-tutti.ts';

const review = z.object({
  issues: z.array(z.object({ rule: z.string(), file: z.string(), line: z.number() })),
  files_reviewed: z.number(),
  silenced: z.number(),
});

async function reviewFolder(files: Readonly<Record<string, string>>) {
  const cwd = aFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { stdout } = await runTutti(['call', 'code.review_code', 'path=.', '--json'], { cwd });
  return review.parse(JSON.parse(stdout));
}

/** Takes a backtracking pattern longer than anybody lives. */
const endless = '^(a+)+$';
const long = `${'a'.repeat(60)}B_1`;
const neighbour = 'var old = 1;\nexport { old };\n';

/** Texts that configure a rule with the pattern. */
const hostile = {
  'id-match': `/* eslint id-match: [2, "${endless}"] */\nexport const ${long} = 1;\n`,
  camelcase: `/*eslint camelcase:[2,{"allow":["${endless}"]}]*/\nexport const ${long} = 1;\n`,
  'no-unused-vars': `/* eslint no-unused-vars: ["error", {varsIgnorePattern: "${endless}"}] */\nconst ${long} = 1;\n`,
  'new-cap': `/*\teslint new-cap: [2, {newIsCapExceptionPattern: "${endless}"}] */\nexport default new ${long}();\n`,
  'capitalized-comments': `/* eslint capitalized-comments: [2, "always", {"ignorePattern": "${endless}"}] */\n// ${'a'.repeat(60)}!\nexport default 1;\n`,
};

describe('comments of strangers', () => {
  it.each(['js', 'ts'])('configure no rule of a .%s file', { timeout: 60_000 }, async (ending) => {
    const files = Object.entries(hostile).map(([rule, text]) => [`${rule}.${ending}`, text]);
    const found = await reviewFolder({ ...Object.fromEntries(files), 'c.js': neighbour });
    expect(found.files_reviewed).toBe(files.length + 1);
    expect(found.issues).toContainEqual(
      expect.objectContaining({ rule: 'javascript/no-var', file: 'c.js' }),
    );
  });

  it('switch no rule off unseen', { timeout: 60_000 }, async () => {
    const { issues, silenced } = await reviewFolder({
      'a.js': '/* eslint no-var: 0 */\nvar a = 1;\nexport { a };\n',
      'b.js':
        '/* eslint-disable no-var */\nvar b = 1;\n/* eslint-enable */\nvar c = 1;\nexport { b, c };\n',
      'c.js':
        '/* eslint-disable */\nvar d = 1;\n/* eslint-enable no-var */\nvar e = 1;\nexport { d, e };\n',
      'd.js': 'var f = 1; // eslint-disable-line no-var\nexport { f };\n',
      'e.ts': '// eslint-disable-next-line no-var -- old\nvar g = 1;\nexport { g };\n',
      'f.css': '/* stylelint-disable */\na { color: red; color: red }\n',
      'g.py': '"""A."""\n# ruff: noqa\nimport os\n',
    });
    const vars = issues.filter(({ rule }) => rule.endsWith('/no-var'));
    expect(vars.map(({ file, line }) => `${file}:${line}`).toSorted()).toEqual([
      'a.js:2',
      'b.js:4',
      'c.js:4',
    ]);
    expect(silenced).toBeGreaterThanOrEqual(6);
  });

  it('cost no more than the text in any number', { timeout: 60_000 }, async () => {
    const many = '/* eslint-disable no-var */ var x = 1; /* eslint-enable */\n'.repeat(1_000);
    const { silenced } = await reviewFolder({ 'a.js': many, 'b.js': neighbour });
    expect(silenced).toBeGreaterThanOrEqual(1_000);
  });
});
