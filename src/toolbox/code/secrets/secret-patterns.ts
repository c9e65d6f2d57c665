import type { Severity } from '../finding.ts';

/** How one kind of secret looks. Every pattern runs in linear time: no repetition inside another. */
export interface SecretPattern {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  /** Plain text that must occur before the pattern is tried at all; lower case for `i` patterns. */
  readonly hint: string;
  /** Global. Group `secret`, where there is one, is the secret; otherwise the whole match. */
  readonly pattern: RegExp;
  /** Bits per character below which a match is taken for something else. */
  readonly minEntropy?: number;
}

type Row = readonly [id: string, title: string, hint: string, pattern: RegExp, minEntropy?: number];

/** Keys whose shape says whose they are: whoever holds one can act as its owner. */
const criticalRows: readonly Row[] = [
  ['aws-access-key-id', 'AWS access key id', 'A', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  [
    'aws-secret-access-key',
    'AWS secret access key',
    'aws',
    /aws[a-z_ .-]{0,20}(?:secret|private)[a-z_ .-]{0,20}["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
    3.5,
  ],
  ['gcp-api-key', 'Google API key', 'AIza', /\bAIza[0-9A-Za-z_-]{35}/g],
  [
    'gcp-private-key-id',
    'Google service account key',
    'private_key_id',
    /"private_key_id"[ \t]{0,4}:[ \t]{0,4}"(?<secret>[0-9a-f]{40})"/g,
  ],
  ['google-oauth-secret', 'Google OAuth client secret', 'GOCSPX-', /\bGOCSPX-[A-Za-z0-9_-]{28}/g],
  ['google-oauth-token', 'Google OAuth access token', 'ya29.', /\bya29\.[A-Za-z0-9_-]{20,500}/g],
  [
    'firebase-server-key',
    'Firebase messaging key',
    ':APA91',
    /\bAAAA[A-Za-z0-9_-]{7}:APA91[A-Za-z0-9_-]{100,160}/g,
  ],
  [
    'azure-storage-key',
    'Azure storage account key',
    'accountkey=',
    /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/gi,
  ],
  [
    'azure-client-secret',
    'Azure application secret',
    '8Q~',
    /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{34}(?![A-Za-z0-9_~.-])/g,
  ],
  [
    'azure-shared-access',
    'Azure shared access signature',
    'sig=',
    /[?&]sig=(?<secret>[A-Za-z0-9%/+]{40,120})/g,
    3.5,
  ],
  [
    'azure-shared-access-key',
    'Azure service bus key',
    'sharedaccesskey=',
    /SharedAccessKey=(?<secret>[A-Za-z0-9+/]{43}=)/gi,
  ],
  ['github-token', 'GitHub token', 'gh', /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g],
  [
    'github-fine-grained-token',
    'GitHub fine-grained token',
    'github_pat_',
    /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g,
  ],
  [
    'gitlab-token',
    'GitLab token',
    'gl',
    /\b(?:glpat|gldt|glrt|glptt|glft|glsoat|glcbt)-[A-Za-z0-9_-]{20,100}/g,
  ],
  ['bitbucket-app-password', 'Bitbucket app password', 'ATBB', /\bATBB[A-Za-z0-9]{24,40}\b/g],
  ['atlassian-token', 'Atlassian token', 'ATATT3', /\bATATT3[A-Za-z0-9_=-]{50,250}/g],
  ['slack-token', 'Slack token', 'xox', /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g],
  ['slack-app-token', 'Slack app token', 'xapp-', /\bxapp-[0-9]-[A-Za-z0-9-]{20,200}/g],
  [
    'slack-webhook',
    'Slack webhook',
    'hooks.slack.com',
    /hooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/+_-]{20,120})/g,
  ],
  ['stripe-secret-key', 'Stripe secret key', 'k_', /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,120}\b/g],
  ['stripe-webhook-secret', 'Stripe webhook secret', 'whsec_', /\bwhsec_[A-Za-z0-9+/=]{24,100}/g],
  ['anthropic-key', 'Anthropic API key', 'sk-ant-', /\bsk-ant-[A-Za-z0-9_-]{20,200}/g],
  ['openrouter-key', 'OpenRouter API key', 'sk-or-', /\bsk-or-[A-Za-z0-9_-]{20,200}/g],
  [
    'openai-key',
    'OpenAI API key',
    'sk-',
    /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,220}/g,
    3.2,
  ],
  ['groq-key', 'Groq API key', 'gsk_', /\bgsk_[A-Za-z0-9]{40,80}\b/g],
  ['perplexity-key', 'Perplexity API key', 'pplx-', /\bpplx-[A-Za-z0-9]{32,80}\b/g],
  ['replicate-token', 'Replicate token', 'r8_', /\br8_[A-Za-z0-9]{36,40}\b/g],
  ['huggingface-token', 'Hugging Face token', 'hf_', /\bhf_[A-Za-z0-9]{30,40}\b/g],
  ['npm-token', 'npm token', 'npm_', /\bnpm_[A-Za-z0-9]{36}\b/g],
  [
    'npmrc-token',
    'npm registry token',
    '_authToken',
    /_authToken[ \t]{0,4}=[ \t]{0,4}(?<secret>[A-Za-z0-9_.=+/-]{16,300})/g,
  ],
  ['pypi-token', 'PyPI token', 'pypi-', /\bpypi-[A-Za-z0-9_-]{50,250}/g],
  ['rubygems-key', 'RubyGems key', 'rubygems_', /\brubygems_[a-f0-9]{48}\b/g],
  ['docker-hub-token', 'Docker Hub token', 'dckr_pat_', /\bdckr_pat_[A-Za-z0-9_-]{24,60}/g],
  ['twilio-key', 'Twilio API key', 'SK', /\bSK[0-9a-f]{32}\b/g],
  [
    'twilio-auth-token',
    'Twilio auth token',
    'twilio',
    /twilio[a-z_ .-]{0,20}(?:token|secret)["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["']?(?<secret>[0-9a-f]{32})\b/gi,
  ],
  ['sendgrid-key', 'SendGrid key', 'SG.', /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/g],
  ['mailgun-key', 'Mailgun key', 'key-', /\bkey-[0-9a-f]{32}\b/g],
  ['mailchimp-key', 'Mailchimp key', '-us', /\b[0-9a-f]{32}-us[0-9]{1,2}\b/g],
  [
    'telegram-bot-token',
    'Telegram bot token',
    ':AA',
    /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
  ],
  [
    'discord-bot-token',
    'Discord bot token',
    '.',
    /\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g,
    4,
  ],
  [
    'discord-webhook',
    'Discord webhook',
    '/api/webhooks/',
    /discord(?:app)?\.com\/api\/webhooks\/[0-9]{15,22}\/(?<secret>[A-Za-z0-9_-]{50,90})/g,
  ],
  ['shopify-token', 'Shopify token', 'shp', /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g],
  ['square-token', 'Square token', 'sq0', /\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,50}/g],
  [
    'paypal-token',
    'PayPal/Braintree token',
    'access_token$production$',
    /\baccess_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}\b/g,
  ],
  ['digitalocean-token', 'DigitalOcean token', '_v1_', /\bdo[opr]_v1_[a-f0-9]{64}\b/g],
  [
    'heroku-key',
    'Heroku API key',
    'heroku',
    /heroku[a-z_ .-]{0,20}["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["']?(?<secret>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi,
  ],
  [
    'cloudflare-token',
    'Cloudflare API token',
    'cloudflare',
    /cloudflare[a-z_ .-]{0,20}(?:token|key)["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["']?(?<secret>[A-Za-z0-9_-]{37,40})\b/gi,
    3.5,
  ],
  ['databricks-token', 'Databricks token', 'dapi', /\bdapi[a-f0-9]{32}\b/g],
  ['vault-token', 'HashiCorp Vault token', 'hv', /\bhv[sbr]\.[A-Za-z0-9_-]{24,200}/g],
  [
    'terraform-token',
    'Terraform Cloud token',
    '.atlasv1.',
    /\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}/g,
  ],
  [
    'grafana-token',
    'Grafana token',
    'gl',
    /\bgl(?:sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|c_[A-Za-z0-9+/]{32,400}={0,2})/g,
  ],
  ['new-relic-key', 'New Relic key', 'NRAK-', /\bNRAK-[A-Z0-9]{27}\b/g],
  [
    'datadog-key',
    'Datadog key',
    'datadog',
    /datadog[a-z_ .-]{0,20}key["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["']?(?<secret>[0-9a-f]{32,40})\b/gi,
  ],
  ['sentry-token', 'Sentry token', 'sntry', /\bsntry[su]_[A-Za-z0-9+/=_-]{40,300}/g],
  ['linear-key', 'Linear key', 'lin_api_', /\blin_api_[A-Za-z0-9]{40}\b/g],
  ['notion-token', 'Notion token', 'n', /\b(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})\b/g],
  ['airtable-token', 'Airtable token', 'pat', /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/g],
  ['dropbox-token', 'Dropbox token', 'sl.', /\bsl\.(?:u\.)?[A-Za-z0-9_-]{130,200}/g],
  ['figma-token', 'Figma token', 'figd_', /\bfigd_[A-Za-z0-9_-]{40,60}/g],
  ['postman-key', 'Postman key', 'PMAK-', /\bPMAK-[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}\b/g],
  [
    'planetscale-token',
    'PlanetScale token',
    'pscale_',
    /\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}/g,
  ],
  ['pulumi-token', 'Pulumi token', 'pul-', /\bpul-[a-f0-9]{40}\b/g],
  ['doppler-token', 'Doppler token', 'dp.', /\bdp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,60}/g],
  ['facebook-token', 'Facebook token', 'EAA', /\bEAA[A-Za-z0-9]{60,250}\b/g, 4],
  ['age-secret-key', 'age secret key', 'AGE-SECRET-KEY-1', /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g],
];

/** Credentials in a general form. */
const majorRows: readonly Row[] = [
  [
    'jwt',
    'JSON web token',
    'eyJ',
    /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
  ],
  [
    'connection-string',
    'Password in a connection string',
    '://',
    /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cassandra|ftp|sftp|ssh|smtps?|ldaps?|nats|kafka)(?:\+[a-z0-9]{1,20})?:\/\/[^\s:@/"'`<>]{0,100}:(?<secret>[^\s@/"'`<>]{3,200})@/gi,
  ],
  [
    'basic-auth-url',
    'Password in a web address',
    '://',
    /\bhttps?:\/\/[^\s:@/"'`<>]{1,100}:(?<secret>[^\s@/"'`<>]{3,200})@/gi,
  ],
  [
    'basic-auth-header',
    'Basic authentication header',
    'basic ',
    /authorization["']?[ \t]{0,4}[:=,][ \t]{0,4}["'`]?basic[ \t]{1,4}(?<secret>[A-Za-z0-9+/]{12,200}={0,2})/gi,
    3,
  ],
  [
    'bearer-header',
    'Bearer token',
    'bearer ',
    /authorization["']?[ \t]{0,4}[:=,][ \t]{0,4}["'`]?bearer[ \t]{1,4}(?<secret>[A-Za-z0-9._~+/-]{16,2000}={0,2})/gi,
    3.2,
  ],
  [
    'odbc-password',
    'Password in a connection string',
    'pwd=',
    /;[ \t]{0,4}pwd=(?<secret>[^\s;"'<>]{4,100})/gi,
  ],
  [
    'odbc-password',
    'Password in a connection string',
    'password=',
    /;[ \t]{0,4}password=(?<secret>[^\s;"'<>]{4,100})/gi,
  ],
  [
    'netrc-password',
    'Password in .netrc',
    'machine ',
    /\bmachine[ \t]{1,4}\S{1,200}[ \t\n]{1,8}login[ \t]{1,4}\S{1,200}[ \t\n]{1,8}password[ \t]{1,4}(?<secret>\S{4,200})/g,
  ],
  [
    'docker-auth',
    'Docker registry credentials',
    '"auth"',
    /"auth"[ \t]{0,4}:[ \t]{0,4}"(?<secret>[A-Za-z0-9+/]{16,400}={0,2})"/g,
    3,
  ],
  [
    'private-key',
    'Private key',
    'PRIVATE KEY',
    /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
  ],
  [
    'putty-private-key',
    'PuTTY private key',
    'PuTTY-User-Key-File',
    /\bPuTTY-User-Key-File-[0-9]:/g,
  ],
];

export const secretPatterns: readonly SecretPattern[] = [
  ...criticalRows.map((row) => patternOf(row, 'critical')),
  ...majorRows.map((row) => patternOf(row, row[0].endsWith('private-key') ? 'critical' : 'major')),
];

function patternOf(row: Row, severity: Severity): SecretPattern {
  const [id, title, hint, pattern, minEntropy] = row;
  return {
    id,
    title,
    severity,
    hint,
    pattern,
    ...(minEntropy === undefined ? {} : { minEntropy }),
  };
}
