import { describe, expect, it } from 'vitest';
import { secretPatterns } from '../../../kernel/index.ts';
import { findSecrets, hideSecrets } from './find-secrets.ts';
import { sampleSecrets } from '../../../../testkit/toolbox/code/secrets/sample-secrets.ts';

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

  it.each([
    ['password: ', 'Tr0ub4dor' + '&3x!Zq81Lm', ''],
    ['DB_PASS=', 'x9$kLm2' + '#pQ7z', ''],
    ['PW_TOKEN=', 'aZ4|k9' + '<5Lm2;q', ''],
    ['  db_pw: ', 'Kx7(mQ2' + 'vB9', ' # the old one'],
    ["CREATE USER app WITH PASSWORD '", 'S3cure' + '!pass9', "';"],
    ["ALTER USER 'app'@'%' IDENTIFIED BY '", 'S3cure' + '!pass9', "';"],
    ["CREATE USER app IDENTIFIED WITH mysql_native_password BY '", 'winter' + 'time', "';"],
    ['  <password>', 'S3cure' + '!pass9', '</password>'],
    ['<db:secret-key type="plain">', 'q8Zr2m' + 'Vt7Kp1', '</db:secret-key>'],
    ['curl -u admin:', 'S3cure' + '!pass9', ' https://api.test/v1'],
    ["subprocess.run(['curl', '--user', 'admin:", 'S3cure' + '!pass9', "'])"],
    ['mysql -h db -u root -p', 'S3cure' + '!pass9', ' shop < dump.sql'],
    ["mysqldump -p'", 'wintertime', "' shop"],
    ['token_secret = "', 'q8Zr2m' + 'Vt7Kp1', '"'],
    ["DB_PASS: '", 'x9$kLm2' + '#pQ7z', "'"],
  ])('finds the value of %s…', (before, secret, after) => {
    const found = findSecrets(`${before}${secret}${after}\nnext: line\n`);
    expect(found).toMatchObject([{ rule: 'generic-secret', start: before.length }]);
    expect(found[0]?.end).toBe(before.length + secret.length);
  });

  it.each([
    'password: ${DB_PASSWORD}',
    'password: $DB_PASSWORD_1',
    'DB_PASS=$(cat /run/secret1)',
    'DB_PASS=$(pass_show_db1)',
    'TOKEN=prefix1-$BUILD_ID',
    'password: {{ vault_password_1 }}',
    'password: <%=password1%>',
    'token=get_token(config1)',
    'token = tokens[index1]',
    'token: Option<Token2>,',
    'token: u8|u16|string32',
    'token = a1&&other2.value',
    'secret: &anchor_1',
    'password: *anchor_1',
    'token: >=1.2.3,<2.0.0',
    'secret: [a1,b2,c3]',
    'bypass: 4f9d#81e2aBc',
    'compass=4f9d#81e2aBc',
    "the password 'hunter' was wrong",
    "WITH PASSWORD '${DB_PASSWORD}'",
    "IDENTIFIED BY '$password1'",
    "IDENTIFIED BY 'password'",
    '<password>${env.DB_PASSWORD}</password>',
    '<password>{COQLCE6DU6GtcS5P=}</password>',
    '<password>secret</password>',
    '<token>$token1</token>',
    'docker run -u 1000:1000 image',
    'docker run --user app:group12 image',
    'curl -u user:password https://api.test',
    'curl -u "$USER:$PASS1234" https://api.test',
    'curl -u admin:$API_TOKEN1 https://api.test',
    'mysql -u root -p shop',
    'mysql -u root -p$MYSQL_PWD shop',
    'find /var/lib/mysql -print0',
    'docker run mysql -p3306:3306',
  ])('leaves code, references and other options alone: %s', (text) => {
    expect(findSecrets(text)).toEqual([]);
  });
});

describe('hideSecrets', () => {
  it('hides every kind of secret and keeps the rest', () => {
    const text = sampleSecrets.map(({ line }) => `before\n${line}\nafter`).join('\n');
    const redacted = hideSecrets(text).text;
    for (const { secret } of sampleSecrets) expect(redacted).not.toContain(secret);
    expect(redacted.match(/^before$/gm)).toHaveLength(sampleSecrets.length);
  });

  it('returns text without secrets unchanged', () => {
    expect(hideSecrets('nothing to hide\n').text).toBe('nothing to hide\n');
  });

  it('hides a whole private key, not only its first line', () => {
    const key = sampleSecrets.find(({ rule }) => rule === 'private-key')?.secret ?? '';
    expect(hideSecrets(`a\n${key}\nb`).text).toBe('a\n[hidden private-key]\nb');
  });
});
