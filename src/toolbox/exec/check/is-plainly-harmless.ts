import type { CodeFile } from './scan-code.ts';
import { hasPythonSign } from './python-signs.ts';

/** Longer texts are left to the scanner's threads: nothing here may hold others up. */
const maxLength = 20_000;

/**
 * Whether the scanner would find nothing in a text, told without its engines. Only Python's take long
 * to load; false says nothing.
 */
export async function isPlainlyHarmless({ path, text, language }: CodeFile): Promise<boolean> {
  if (language !== 'python' || text.length > maxLength || hasPythonSign(text)) return false;
  const [{ matchMaliciousRules }, { findSecrets }] = await Promise.all([
    import('../../code/security/malicious/find-malicious.ts'),
    import('../../code/secrets/find-secrets.ts'),
  ]);
  const harm = matchMaliciousRules({ path, text, language });
  return harm.length === 0 && findSecrets(text).length === 0;
}
