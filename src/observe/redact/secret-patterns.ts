/**
 * What a secret looks like without a name beside it. Each pattern starts with fixed text and has
 * no nested repetition, so that matching stays linear on any input.
 */
const shapes: readonly string[] = [
  // OpenAI, Anthropic, OpenRouter and many that copied them
  String.raw`\bsk-[\w-]{12,}`,
  // Stripe
  String.raw`\b[prs]k_(?:live|test)_\w{8,}`,
  String.raw`\bwhsec_[\w+/=]{16,}`,
  // GitHub, GitLab
  String.raw`\bgh[opsur]_\w{16,}`,
  String.raw`\bgithub_pat_\w{16,}`,
  String.raw`\bgl(?:pat|ptt|dt|rt|cbt|oas)-[\w-]{16,}`,
  // AWS key ids
  String.raw`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}`,
  // Google
  String.raw`\bAIza[\w-]{30,}`,
  String.raw`\bya29\.[\w-]{16,}`,
  String.raw`\bGOCSPX-[\w-]{16,}`,
  // Slack
  String.raw`\bxox[abceoprs]-[\w-]{10,}`,
  String.raw`\bxapp-[\w-]{10,}`,
  String.raw`\bhooks\.slack\.com/services/[\w/]{16,}`,
  // package registries
  String.raw`\bnpm_\w{30,}`,
  String.raw`\bpypi-[\w-]{32,}`,
  String.raw`\brubygems_\w{32,}`,
  // models and machine learning
  String.raw`\bhf_\w{20,}`,
  String.raw`\bgsk_\w{20,}`,
  String.raw`\bxai-\w{20,}`,
  String.raw`\bpplx-\w{20,}`,
  String.raw`\br8_\w{20,}`,
  String.raw`\bdapi[0-9a-f]{32}`,
  // mail, chat, shops, clouds
  String.raw`\bSG\.[\w-]{12,}\.[\w-]{12,}`,
  String.raw`\bSK[0-9a-f]{32}`,
  String.raw`\bkey-[0-9a-f]{32}`,
  String.raw`\b\d{8,10}:AA[\w-]{32,}`,
  String.raw`\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`,
  String.raw`\bdo[opr]_v1_[0-9a-f]{32,}`,
  String.raw`\blin_api_\w{20,}`,
  String.raw`\bntn_\w{20,}`,
  String.raw`\bhv[sbr]\.[\w-]{20,}`,
  String.raw`\bdp\.(?:pt|st|ct|sa)\.[\w.-]{20,}`,
  String.raw`\bAGE-SECRET-KEY-1[A-Z0-9]{20,}`,
  // JSON web tokens
  String.raw`\beyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?`,
];

export const shapePattern = new RegExp(shapes.join('|'), 'g');

/** A private key with its armour; one cut off before its end counts to the end of the text. */
export const privateKeyPattern =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** `scheme://user:password@host`: the password is in the second group, up to the last `@` before a `/`. */
export const urlPasswordPattern = /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,256}@/g;

/** `Bearer x`, `Basic x`: the scheme is in the first group. A word without digit or sign is prose. */
export const authorizationPattern =
  /\b(bearer|basic|digest|negotiate|apikey)(\s{1,4})(?=[\w.~+/-]{0,256}[\d.~+/=_-])[\w.~+/=-]{6,}/gi;

/** `Authorization: …`, `Cookie: …`: the rest of the line is the secret. The name is in the first group. */
export const headerPattern =
  /((?:authorization|cookie)\\?["']?\s{0,4}(?:=>|[:=])\s{0,4}\\?["']?)(?!\[hidden)[^\r\n"'\\]{1,4096}/gi;

/**
 * `password=x`, `"api_key": "x y"`, `--token x`: the name, what stands between and an opening quote are in
 * the groups. An unquoted value ends at white space or a separator.
 */
export const namedPattern =
  /(password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|credentials?)((?:[_-][\w-]{0,32})?\\?["']?(?:\s{0,4}(?:=>|[:=])\s{0,4}|\s{1,4}(?=\S{8})(?=\S{0,64}\d)))(?!\\?["']?\[hidden)(?:(\\["'])[^"'\\]{1,4096}|(")(?:[^"\\]|\\.){1,4096}|(')(?:[^'\\]|\\.){1,4096}|[^\s"'&,;)}\]<>]{3,})/gi;
