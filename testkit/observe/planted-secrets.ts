/** Put together here, so that no scanner takes this file for a leak. */
const filler = 'Zx9Qw3Er7Ty1Ui5Op2As4Df6Gh8Jk0Lz';
const hex = '0123456789abcdef0123456789abcdef';
const join = (...parts: readonly string[]): string => parts.join('');

const secretName: readonly string[] = [
  'password',
  'Password',
  'DB_PASSWORD',
  'passwd',
  'passphrase',
  'token',
  'accessToken',
  'refresh_token',
  'X-Auth-Token',
  'apiKey',
  'API_KEY',
  'x-api-key',
  'OPENAI_API_KEY',
  'authorization',
  'Proxy-Authorization',
  'Cookie',
  'set-cookie',
  'client_secret',
  'secret',
  'aws_secret_access_key',
  'privateKey',
  'credentials',
  'AccountKey',
  'signing.key',
  'encryption key',
  'pwd',
  'jwt',
  'auth',
];

/** Names under which anything is a secret. */
export const plantedNames = secretName;

/** Secrets that must be recognised by their looks alone. */
export const plantedShapes: Readonly<Record<string, string>> = {
  openai: join('sk-', 'proj-', filler),
  anthropic: join('sk-', 'ant-api03-', filler),
  stripe: join('sk_', 'live_', filler),
  stripeRestricted: join('rk_', 'test_', filler),
  stripeWebhook: join('whsec', '_', filler),
  github: join('ghp', '_', filler),
  githubApp: join('ghs', '_', filler),
  githubFineGrained: join('github', '_pat_', filler),
  gitlab: join('glpat', '-', filler.slice(0, 20)),
  aws: join('AKI', 'A', 'IOSFODNN7EXAMPLE'),
  awsTemporary: join('ASI', 'A', 'IOSFODNN7EXAMPLE'),
  google: join('AI', 'za', filler, 'abc'),
  googleOauth: join('ya', '29.', filler),
  slack: join('xox', 'b-', '123456789012-', filler),
  slackWebhook: join('https://hooks.slack', '.com/services/T000/B000/', filler),
  npm: join('npm', '_', filler, 'abcd'),
  pypi: join('pypi', '-', filler, filler),
  huggingFace: join('hf', '_', filler),
  groq: join('gsk', '_', filler),
  databricks: join('dap', 'i', hex),
  sendgrid: join('SG', '.', filler.slice(0, 22), '.', filler),
  mailgun: join('key', '-', hex),
  twilio: join('S', 'K', hex),
  telegram: join('123456789', ':', 'AA', filler, 'x'),
  shopify: join('shpat', '_', hex),
  digitalOcean: join('dop', '_v1_', hex, hex),
  vault: join('hvs', '.', filler),
  age: join('AGE-SECRET', '-KEY-1', filler.toUpperCase()),
  jwt: join('ey', 'JhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxIn0.', filler),
  pem: join(
    '-----BEGIN RSA ',
    'PRIVATE KEY-----\nMIIE',
    filler,
    '\n-----END RSA ',
    'PRIVATE KEY-----',
  ),
  cutPem: join('-----BEGIN ', 'PRIVATE KEY-----\nMIIE', filler, '\n', filler),
  bearer: join('Bearer ', filler),
  basic: join('Basic ', 'dXNlcjpodW50ZXIy', 'aHVudGVyMg=='),
  urlPassword: join('postgres://app:', filler, '@db.example:5432/x'),
  urlPasswordOnly: join('redis://:', filler, '@cache.example'),
};

/** The part of a planted secret that must not be found anywhere. */
export function tellTale(secret: string): string {
  return secret.includes(filler) ? filler.slice(4, 16) : secret.slice(6, 20);
}

/** A value that nobody could recognise without the name beside it. */
export const plainSecret = 'correct-horse-battery';
