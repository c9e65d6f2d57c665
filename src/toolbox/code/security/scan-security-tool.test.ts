import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { languages } from '../language.ts';
import { scanSecretsTool } from '../secrets/scan-secrets-tool.ts';
import { sampleSecrets } from '../../../../testkit/toolbox/code/secrets/sample-secrets.ts';
import { scanSecurityTool } from './scan-security-tool.ts';
import type { SecurityFinding } from './security-rules.ts';

interface Answer {
  readonly findings: readonly SecurityFinding[];
  readonly summary: Readonly<Record<string, number>>;
  readonly findings_total: number;
  readonly findings_omitted: number;
  readonly files_scanned: number;
  readonly rules_run: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
}

async function scan(args: unknown, roots?: readonly string[]): Promise<Answer> {
  const result = await scanSecurityTool(aCodeContext(roots)).call(args, aCallContext());
  // The tool checked this against its own output schema, which says the same.
  return result.structuredContent as unknown as Answer;
}

function aFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-security-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('scan_security', () => {
  it('lists findings worst first with rule, place, weakness class and cure', async () => {
    const code = 'import subprocess\nassert x\nsubprocess.call(x, shell=True)\n';
    const answer = await scan({ code, language: 'python' });
    expect(answer.findings.map(({ rule, line }) => `${rule}:${line}`)).toEqual([
      'python/S602:3',
      'python/S404:1',
      'python/S101:2',
    ]);
    expect(answer.findings[0]).toMatchObject({
      severity: 'critical',
      cwe: 'CWE-78',
      confidence: 'high',
      engine: 'ruff',
      file: '<code>',
      column: 1,
    });
    expect(answer.summary).toEqual({ critical: 1, major: 0, minor: 0, info: 2 });
  });

  it('leaves out what is less severe than asked', async () => {
    const code = 'import subprocess\nassert x\nsubprocess.call(x, shell=True)\n';
    const answer = await scan({ code, language: 'python', min_severity: 'major' });
    expect(answer.findings.map(({ rule }) => rule)).toEqual(['python/S602']);
    expect(answer.findings_total).toBe(1);
  });

  it('scans a folder file by file and says how many rules looked at each language', async () => {
    const folder = aFolder({
      'a.py': 'eval(x)\n',
      'b.ts': 'const run = (x: string) => eval(x);\n',
      'c.go': 'package a\n',
    });
    const steps: number[] = [];
    const context = aCallContext({ progress: ({ progress }) => void steps.push(progress) });
    const result = await scanSecurityTool(aCodeContext([folder])).call({ path: '.' }, context);
    const answer = result.structuredContent as unknown as Answer;
    expect(answer.findings.map(({ rule, file }) => `${file} ${rule}`)).toEqual([
      'b.ts javascript/eval',
      'a.py python/S307',
    ]);
    expect(answer.files_scanned).toBe(3);
    expect(Object.keys(answer.rules_run).sort()).toEqual(['go', 'python', 'typescript']);
    expect(steps).toEqual([0, 1, 2, 3]);
  });

  it('has rules for each of the nine languages', async () => {
    for (const language of languages) {
      const answer = await scan({ code: '\n', language });
      expect(answer.rules_run[language], language).toBeGreaterThan(8);
    }
  });

  it('lists at most 500 findings and counts the rest', async () => {
    const answer = await scan({ code: 'eval(x)\n'.repeat(600), language: 'python' });
    expect(answer.findings).toHaveLength(500);
    expect(answer).toMatchObject({ findings_total: 600, findings_omitted: 100 });
  });

  it('scans what can be read of a text that does not parse, and says where it stops', async () => {
    const answer = await scan({ code: 'eval(x)\ndef f(:\n  return 1\n', language: 'python' });
    expect(answer.findings.map(({ rule }) => rule)).toContain('python/S307');
    expect(answer.notes.join()).toMatch(/^<code> does not parse at 2:\d+/);
    for (const language of languages.filter((it) => !['sql', 'html', 'css'].includes(it))) {
      const broken = await scan({ code: '((( {{{ ]]]\n', language });
      expect(broken.notes, language).toHaveLength(1);
    }
  });

  it('respects a line somebody marked with nosec, except for malicious code', async () => {
    const code = 'eval(x)  # nosec\nexec(base64.b64decode(x))  # nosec\n';
    const answer = await scan({ code, language: 'python' });
    expect(answer.findings.map(({ rule }) => rule)).toEqual(['malicious/hidden-code']);
  });

  it('finds weaknesses in scripts inside a page, at their place in the page', async () => {
    const code = '<p>x</p>\n<script>\n  eval(location.hash)\n</script>\n';
    const answer = await scan({ code, language: 'html' });
    expect(answer.findings).toMatchObject([{ rule: 'javascript/eval', line: 3, column: 3 }]);
  });

  it('shows a summary a person can read', async () => {
    const tool = scanSecurityTool(aCodeContext());
    const result = await tool.call({ code: 'eval(x)\n', language: 'python' }, aCallContext());
    expect(result.content[0]?.['text']).toBe(
      '1 finding in 1 file: 0 critical, 1 major, 0 minor, 0 info\n' +
        '<code>:1:1 major python/S307: eval runs any text as code.',
    );
  });

  it('stops when the call is cancelled', async () => {
    const tool = scanSecurityTool(aCodeContext());
    const call = tool.call(
      { code: 'x\n', language: 'python' },
      aCallContext({ signal: AbortSignal.abort(new Error('cancelled')) }),
    );
    await expect(call).rejects.toThrow('cancelled');
  });
});

describe('secrets in what is scanned', () => {
  const assignments = sampleSecrets.map(({ secret }, index) => ({
    secret,
    name: `password_${index}`,
  }));
  const plant: Readonly<Record<string, (name: string, text: string) => string>> = {
    python: (name, text) =>
      `${name} = ${text}\nconnect(password=${text})\nif token == ${text}: pass`,
    javascript: (name, text) => `const ${name}Password = ${text}; login({ password: ${text} });`,
    typescript: (name, text) => `const ${name}Password: string = ${text};`,
    java: (name, text) => `class ${name} { String password = ${text}; }`,
    go: (name, text) => `package a\nvar ${name}Password = ${text}`,
    rust: (name, text) => `const ${name.toUpperCase()}_PASSWORD: &str = ${text};`,
    sql: (name, text) => `ALTER USER ${name} IDENTIFIED BY '${text.slice(1, -1)}';`,
    html: (_, text) => `<input type="password" value=${text}>`,
    css: (_, text) => `a { background: url(${text}) }`,
  };

  it.each(languages)('never appear in an answer or error about %s', async (language) => {
    const code = assignments
      .map(({ secret, name }) => plant[language]?.(name, JSON.stringify(secret)))
      .join('\n');
    const context = aCodeContext();
    const broken = `${code}\n((( ]]] ${assignments.map(({ secret }) => secret).join(' ')}`;
    for (const text of [code, broken]) {
      const results = [
        await scanSecurityTool(context).call({ code: text, language }, aCallContext()),
        await scanSecretsTool(context).call({ code: text }, aCallContext()),
      ];
      const shown = JSON.stringify(results);
      expect(shown.length).toBeGreaterThan(1_000);
      for (const { secret } of assignments) {
        // A short or structured form could be part of our own words; every planted one is longer.
        if (secret.length >= 10 && !secret.startsWith('PuTTY')) expect(shown).not.toContain(secret);
      }
    }
  });
});
