import { createHash, randomBytes } from 'node:crypto';

/** How every secret begins, so that people and secret scanners recognize it. */
const secretStart = 'tutti_';
/** 256 bits, of which the prefix shows 48. */
const secretBytes = 32;
const shownCharacters = 8;
const secretPattern = /^tutti_[\w-]{43}$/;

export interface KeySecret {
  readonly text: string;
  readonly prefix: string;
  readonly digest: string;
}

export function newKeySecret(): KeySecret {
  const text = secretStart + randomBytes(secretBytes).toString('base64url');
  return { text, prefix: prefixOf(text), digest: digestOf(text) };
}

/** Whether a token can be the secret of a key at all. */
export function isKeySecret(token: string): boolean {
  return secretPattern.test(token);
}

export function prefixOf(secret: string): string {
  return secret.slice(0, secretStart.length + shownCharacters);
}

/** SHA-256 is enough: a secret of 256 random bits cannot be guessed, so a slow digest would protect nothing. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** How callers, runs and the audit log name a key. */
export function keyCredential(id: string): string {
  return `key:${id}`;
}
