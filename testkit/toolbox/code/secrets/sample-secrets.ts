/** Secrets of every kind the patterns know, made up as the program runs: none stands in the source. */
export interface SampleSecret {
  readonly rule: string;
  /** What must never be shown. */
  readonly secret: string;
  /** A line of text that contains it. */
  readonly line: string;
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphabets = {
  a: letters + letters.toUpperCase() + '0123456789',
  u: letters.toUpperCase() + '0123456789',
  x: '0123456789abcdef',
  d: '123456789',
} as const;

/** `count` characters that look random and are the same every time. */
function fill(alphabet: keyof typeof alphabets, count: number, seed: number): string {
  let state = (seed + 1) * 2_654_435_761;
  let text = '';
  for (let index = 0; index < count; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += alphabets[alphabet][(state >>> 16) % alphabets[alphabet].length];
  }
  return text;
}

/** `{a20}` is twenty characters of alphabet a; `|` marks the secret where it is not the whole. */
const shapes: readonly (readonly [rule: string, shape: string])[] = [
  ['aws-access-key-id', '|AKIA{u16}|'],
  ['aws-secret-access-key', 'aws_secret_access_key = |{a40}|'],
  ['gcp-api-key', '|AIza{a35}|'],
  ['gcp-private-key-id', '"private_key_id": "|{x40}|"'],
  ['google-oauth-secret', '|GOCSPX-{a28}|'],
  ['google-oauth-token', '|ya29.{a60}|'],
  ['firebase-server-key', '|AAAA{a7}:APA91{a134}|'],
  ['azure-storage-key', 'AccountKey=|{a86}==|;EndpointSuffix=x'],
  ['azure-client-secret', 'x = |{a3}8Q~{a34}|'],
  ['azure-shared-access', 'https://x.blob/?sv=1&sig=|{a50}|'],
  ['azure-shared-access-key', 'SharedAccessKey=|{a43}=|'],
  ['github-token', '|ghp_{a36}|'],
  ['github-fine-grained-token', '|github_pat_{a22}_{a40}|'],
  ['gitlab-token', '|glpat-{a20}|'],
  ['bitbucket-app-password', '|ATBB{a32}|'],
  ['atlassian-token', '|ATATT3{a80}|'],
  ['slack-token', '|xoxb-{d12}-{d12}-{a24}|'],
  ['slack-app-token', '|xapp-1-{u10}-{d12}-{a40}|'],
  ['slack-webhook', 'https://hooks.slack.com/services/|T{u8}/B{u8}/{a24}|'],
  ['stripe-secret-key', '|sk_live_{a24}|'],
  ['stripe-webhook-secret', '|whsec_{a32}|'],
  ['anthropic-key', '|sk-ant-api03-{a80}|'],
  ['openrouter-key', '|sk-or-v1-{x64}|'],
  ['openai-key', '|sk-proj-{a48}|'],
  ['groq-key', '|gsk_{a52}|'],
  ['xai-key', '|xai-{a80}|'],
  ['perplexity-key', '|pplx-{a48}|'],
  ['replicate-token', '|r8_{a37}|'],
  ['huggingface-token', '|hf_{a34}|'],
  ['npm-token', '|npm_{a36}|'],
  ['npmrc-token', '//registry/:_authToken=|{a40}|'],
  ['pypi-token', '|pypi-AgEI{a80}|'],
  ['rubygems-key', '|rubygems_{x48}|'],
  ['docker-hub-token', '|dckr_pat_{a27}|'],
  ['twilio-key', '|SK{x32}|'],
  ['twilio-auth-token', 'twilio_auth_token: |{x32}|'],
  ['sendgrid-key', '|SG.{a22}.{a43}|'],
  ['mailgun-key', '|key-{x32}|'],
  ['mailchimp-key', '|{x32}-us12|'],
  ['telegram-bot-token', '|{d9}:AA{a33}|'],
  ['discord-bot-token', '|M{a23}.{a6}.{a27}|'],
  ['discord-webhook', 'https://discord.com/api/webhooks/{d18}/|{a68}|'],
  ['shopify-token', '|shpat_{x32}|'],
  ['square-token', '|sq0atp-{a22}|'],
  ['paypal-token', '|access_token$production${x16}${x32}|'],
  ['digitalocean-token', '|dop_v1_{x64}|'],
  ['heroku-key', 'HEROKU_API_KEY=|{x8}-{x4}-{x4}-{x4}-{x12}|'],
  ['cloudflare-token', 'cloudflare_api_token = "|{a40}|"'],
  ['databricks-token', '|dapi{x32}|'],
  ['vault-token', '|hvs.{a40}|'],
  ['terraform-token', '|{a14}.atlasv1.{a67}|'],
  ['grafana-token', '|glsa_{a32}_{x8}|'],
  ['new-relic-key', '|NRAK-{u27}|'],
  ['datadog-key', 'datadog_api_key: |{x32}|'],
  ['sentry-token', '|sntrys_{a64}|'],
  ['linear-key', '|lin_api_{a40}|'],
  ['notion-token', '|ntn_{a46}|'],
  ['airtable-token', '|pat{a14}.{x64}|'],
  ['dropbox-token', '|sl.{a135}|'],
  ['figma-token', '|figd_{a43}|'],
  ['postman-key', '|PMAK-{x24}-{x34}|'],
  ['planetscale-token', '|pscale_tkn_{a43}|'],
  ['pulumi-token', '|pul-{x40}|'],
  ['doppler-token', '|dp.pt.{a43}|'],
  ['facebook-token', '|EAA{a100}|'],
  ['age-secret-key', '|AGE-SECRET-KEY-1{u58}|'],
  ['jwt', '|eyJ{a20}.eyJ{a40}.{a43}|'],
  ['connection-string', 'DATABASE_URL=postgres://app:|{a12}|@db.internal/shop'],
  ['basic-auth-url', 'https://bob:|{a12}|@host.test/x'],
  ['basic-auth-header', 'Authorization: Basic |{a24}|=='],
  ['bearer-header', "'Authorization': 'Bearer |{a40}|'"],
  ['odbc-password', 'Server=db;Uid=sa;Pwd=|{a12}|;'],
  ['netrc-password', 'machine host.test login bob password |{a12}|'],
  ['docker-auth', '"auth": "|{a32}|"'],
  ['private-key', '|-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----|'],
  ['putty-private-key', '|PuTTY-User-Key-File-2:| ssh-rsa'],
  ['generic-secret', 'db_password = "|{a14}|"'],
  ['generic-secret', 'export SERVICE_SECRET=|{a20}|'],
];

export const sampleSecrets: readonly SampleSecret[] = shapes.map(([rule, shape], index) => {
  const filled = shape.replaceAll(/\{([auxd])(\d+)\}/g, (_, alphabet: string, count: string) =>
    // The pattern above admits only names of alphabets.
    fill(alphabet as keyof typeof alphabets, Number(count), index + Number(count)),
  );
  const [before = '', secret = '', ...after] = filled.split('|');
  return { rule, secret, line: before + secret + after.join('|') };
});
