import { describe, expect, it } from 'vitest';
import { findSecrets, redactSecrets } from './find-secrets.ts';
import { secretPatterns } from './secret-patterns.ts';
import { sampleSecrets } from './testing/sample-secrets.ts';

describe('findSecrets', () => {
  it.each(sampleSecrets)('finds a $rule and says where, not what', ({ rule, secret, line }) => {
    const [found, ...more] = findSecrets(`first line\n  ${line}\n`);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ rule, line: 2 });
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('has a sample for every kind, of which there are at least 40', () => {
    const sampled = new Set(sampleSecrets.map(({ rule }) => rule));
    expect(secretPatterns.map(({ id }) => id).filter((id) => !sampled.has(id))).toEqual([]);
    expect(new Set(secretPatterns.map(({ id }) => id)).size).toBeGreaterThanOrEqual(40);
  });

  it('names line and column of the secret itself', () => {
    const sample = sampleSecrets.find(({ rule }) => rule === 'connection-string');
    const text = `a\nb ${sample?.line}`;
    const [found] = findSecrets(text);
    expect(found?.line).toBe(2);
    expect(text.split('\n')[1]?.slice((found?.column ?? 0) - 1)).toMatch(
      new RegExp(`^${sample?.secret}`),
    );
  });

  it('gives the same secret the same fingerprint wherever it stands', () => {
    const token = sampleSecrets.find(({ rule }) => rule === 'github-token')?.secret ?? '';
    const [first, second] = findSecrets(`a = "${token}"\nb: ${token}\n`);
    expect(first?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(first?.fingerprint).toBe(second?.fingerprint);
  });

  it('shows four characters of a long key, one of a password, none of a short one', () => {
    const previews = (text: string) => findSecrets(text).map(({ preview }) => preview);
    expect(previews(`ghp_${'aB3'.repeat(12)}`)).toEqual(['ghp_***40']);
    expect(previews('postgres://u:p4ssw0rd@h/d')).toEqual(['p***8']);
    expect(previews('postgres://u:p4s@h/d')).toEqual(['***3']);
  });

  it.each([
    'AKIA' + 'IOSFODNN7EXAMPLE',
    'password = "changeme"',
    'password: "${DB_PASSWORD}"',
    'api_key = "your-api-key-here-123"',
    'token = process.env.TOKEN',
    'SECRET_KEY=os.environ["SECRET_KEY"]',
    'password: "xxxxxxxxxxxx"',
    'password = "<password>"',
    'const tokenName = "access_token_2"',
    'password_hint = "my first dog 12"',
    'label: { password: "Password" }',
    'postgres://user:${PASSWORD}@host/db',
    'https://user:<password>@host',
    '-----BEGIN PRIVATE KEY-----',
    'secret_url = "https://vault.test/v1/secret1"',
    'token = self.token2.value',
    'integrity: "sha512-' + 'abcdefgh'.repeat(8) + '"',
  ])('leaves placeholders and names alone: %s', (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it('finds the value in .env, YAML and Dockerfile style lines', () => {
    const value = 'q8Zr' + '2mVt7Kp1';
    for (const line of [
      `API_KEY=${value}`,
      `export DB_PASSWORD=${value}`,
      `  token: ${value}`,
      `ENV SERVICE_SECRET=${value}`,
      `"apiKey": "${value}"`,
      `self.password = '${value}'`,
      `password: str = "${value}"`,
    ]) {
      expect(
        findSecrets(line).map(({ rule }) => rule),
        line,
      ).toEqual(['generic-secret']);
    }
  });
});

describe('redactSecrets', () => {
  it('hides every kind of secret and keeps the rest', () => {
    const text = sampleSecrets.map(({ line }) => `before\n${line}\nafter`).join('\n');
    const redacted = redactSecrets(text);
    for (const { secret } of sampleSecrets) expect(redacted).not.toContain(secret);
    expect(redacted.match(/^before$/gm)).toHaveLength(sampleSecrets.length);
  });

  it('returns text without secrets unchanged', () => {
    expect(redactSecrets('nothing to hide\n')).toBe('nothing to hide\n');
  });

  it('hides a whole private key, not only its first line', () => {
    const key = sampleSecrets.find(({ rule }) => rule === 'private-key')?.secret ?? '';
    expect(redactSecrets(`a\n${key}\nb`)).toBe('a\n[hidden private-key]\nb');
  });
});
