import { describe, expect, it } from 'vitest';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { languages } from '../language.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { inspectFile } from './scan-file-security.ts';

const size = 40_000;
/** Far above what any of them takes on an idle machine; quadratic time would take minutes. */
const maxMs = 10_000;

const fillers: Readonly<Record<string, string>> = {
  letters: 'a'.repeat(size),
  spaces: ' '.repeat(size),
  newlines: '\n'.repeat(size),
  quotes: '"'.repeat(size),
  'mixed quotes': `"'\``.repeat(size / 3),
  backslashes: '\\'.repeat(size),
  equals: '='.repeat(size),
  'password words': 'password'.repeat(size / 8),
  'password assignments': 'password="'.repeat(size / 10),
  'elements of passwords': '<password>'.repeat(size / 10),
  'mysql options': 'mysql -u a '.repeat(size / 11),
  'user options': '-u a:'.repeat(size / 5),
  'sql users': 'identified by password '.repeat(size / 23),
  'password brackets': `password: ${'('.repeat(199)}\n`.repeat(size / 210),
  'password and spaces': `password${' '.repeat(size)}=`,
  'secret underscores': `secret${'_'.repeat(size)}="x"`,
  'base64 without end': 'A1b2C3d4'.repeat(size / 8),
  'almost a token': 'eyJabcdefghij.'.repeat(size / 14),
  'almost an address': 'https://a:'.repeat(size / 10),
  'almost a connection': 'postgres://u:p'.repeat(size / 14),
  'almost an aws key': 'aws_secret_key = '.repeat(size / 17),
  'key headers': '-----BEGIN PRIVATE KEY-----'.repeat(size / 27),
  'select words': 'select '.repeat(size / 7),
  'pipe to shell': 'curl '.repeat(size / 5),
  'shell pieces': 'nc -e powershell -w '.repeat(size / 20),
  'tag openings': '<a '.repeat(size / 3),
  'unclosed tags': '<script>'.repeat(size / 8),
  'attributes without end': `<a ${'x=" '.repeat(size / 4)}`,
  'comment openings': '/*'.repeat(size / 2),
  'html comments': '<!--'.repeat(size / 4),
  'sql comments': '-- '.repeat(size / 3),
  'unclosed css values': 'input[value^=a]{'.repeat(size / 16),
  'data addresses': 'url(data:image/svg+xml'.repeat(size / 22),
  'grant without end': `GRANT ${'a '.repeat(size / 2)}`,
  'execute chains': `EXEC ${"'a' + ".repeat(size / 6)}`,
  'open brackets': '['.repeat(size),
  'open calls': 'f('.repeat(size / 2),
  'nested lists': `x = ${'['.repeat(10_000)}1${']'.repeat(10_000)}\n`,
  'nested calls': `x = ${'f('.repeat(10_000)}1${')'.repeat(10_000)}\n`,
  'long sum': `x = ${'"a" + '.repeat(20_000)}"b"\n`,
  'long member chain': `a${'.b'.repeat(20_000)}()\n`,
  'not signs': `${'!'.repeat(size)}1`,
  'else chain': 'if (a) {} else '.repeat(size / 15),
  'zero characters': '\0'.repeat(size),
  'lone surrogates': '\uD800'.repeat(size),
  'right to left marks': '\u202E'.repeat(size),
};

describe('hostile text', () => {
  const context = aCodeContext();

  it.each(Object.entries(fillers))(
    '"%s" is scanned in every language in bounded time',
    async (_, text) => {
      const slow: string[] = [];
      const measure = async (what: string, run: () => unknown): Promise<void> => {
        const started = performance.now();
        await run();
        if (performance.now() - started > maxMs) slow.push(what);
      };
      await measure('secrets', () => findSecrets(text));
      for (const language of languages) {
        await measure(language, () => inspectFile({ path: 'x', text, language }, context));
      }
      expect(slow).toEqual([]);
    },
  );

  it('a script nested deeper than most parsers can go is read', async () => {
    const text = `${'['.repeat(50_000)}${']'.repeat(50_000)};\neval(x);\n`;
    const scan = await inspectFile({ path: 'x.js', text, language: 'javascript' }, context);
    expect(scan.findings.map(({ rule, line }) => `${rule}:${line}`)).toEqual(['javascript/eval:2']);
  });

  it('a file of 100,000 lines is scanned whole', async () => {
    const text =
      'import os\n' + 'value = compute(value, 1)\n'.repeat(99_998) + 'os.system(value)\n';
    const scan = await inspectFile({ path: 'x.py', text, language: 'python' }, context);
    expect(scan.findings.map(({ rule, line }) => `${rule}:${line}`)).toEqual([
      'python/S605:100000',
    ]);
  });
});
