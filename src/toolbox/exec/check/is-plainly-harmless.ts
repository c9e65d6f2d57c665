import type { CodeFile } from './check-policy.ts';

/** Longer texts are left to the scanner's threads: nothing here may hold others up. */
const maxLength = 20_000;

/**
 * Whether the scanner would find nothing in a text, told without its engines. Only Python's take long
 * to load; false says nothing.
 */
export async function isPlainlyHarmless({ path, text, language }: CodeFile): Promise<boolean> {
  if (language !== 'python' || text.length > maxLength || hasPythonSign(text)) return false;
  const [{ matchMaliciousRules }, { findSecrets }] = await Promise.all([
    import('../../code/security/find-malicious.ts'),
    import('../../code/secrets/find-secrets.ts'),
  ]);
  const harm = matchMaliciousRules({ path, text, language });
  return harm.length === 0 && findSecrets(text).length === 0;
}

/** About how code is written, not about what it does: every test has asserts. */
export const harmlessRules: ReadonlySet<string> = new Set(['python/S101']);

/**
 * Words of which at least one stands in any Python text in which a security rule other than those finds something.
 * Loading the engines costs far more than most programs, and most programs have none of these.
 */
const signs: readonly RegExp[] = [
  // S110, S112, S322
  /\bexcept\b|\binput\b/i,
  // S102 to S108, S201, S202
  /\bexec|chmod|0\.0\.0|\/tmp|\/shm|debug|extractall/i,
  // S105 to S107. The statement `pass` is not a name.
  /_pass|pass_|["']pass|PASS|Pass/,
  /pas+wo?r?d|passphrase|pwd|token|secret/i,
  // S301 to S324
  /pickle|dill|shelve|marshal|hash|md[245]|sha1|crypt|cipher|mktemp|tempnam|\beval|mark_?safe/i,
  /urllib|httplib|http_?client|HTTPSConnection|\bsix\b|random|telnet|ftp|ssl/i,
  /xml|expat|\bsax\b|minidom|pulldom|etree/i,
  // S401 to S415
  /subprocess|wsgi|twisted|pyghmi/i,
  // S501 to S509
  /verify|requests|httpx|tlsv|key_size|\b[rd]sa\b|\bec\b|yaml|paramiko|snmp/i,
  // S601 to S612
  /shell|\bsystem\b|popen|\bcommands\b|spawn|startfile|\bpty\b|\bextra\b|rawsql|\blisten\b/i,
  /\b(?:select|delete|insert|replace|update|merge)(?:[\s"'\\{]|$)/im,
  // S701 to S704
  /jinja|mako|markup|safe(?:string|text|bytes)/i,
  // A text can be spelled by numbers,
  /\\[xuUN0-7]/,
  // and two literals side by side are one.
  /["'](?:\s|\\\n|#[^\n]{0,1000}\n){1,1000}[rbuf]{0,2}["']|\w["'][rbuf]{1,2}["']\w|\w(?:"'|'"|''|"")\w/i,
];

/** Whether a rule for Python could find something in a text; true when in doubt. */
export function hasPythonSign(text: string): boolean {
  // Python reads `ｅｘｅｃ` as `exec`.
  const plain = text.normalize('NFKC');
  return signs.some((sign) => sign.test(plain));
}
