import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from './secret.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const keyIdLength = 6;
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v2';
/** Sealed before keys had ids. */
const versionWithoutKeyId = 'v1';

interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Encrypts texts that leave this process, with AES-256-GCM. Seals with the first secret and opens what any of them
 * sealed, so secrets can be changed while sealed texts are in use.
 */
export class Sealer {
  readonly #keys: readonly [SealingKey, ...SealingKey[]];

  /**
   * Secrets are any texts of sufficient entropy: keys are derived from them. `purpose` separates the uses of one
   * secret: what was sealed for one cannot be opened for another.
   */
  constructor([current, ...earlier]: readonly [Secret, ...Secret[]], purpose: string) {
    const derive = (secret: Secret): SealingKey => {
      const key = Buffer.from(hkdfSync('sha256', secret.reveal(), '', purpose, keyBytes));
      const id = createHash('sha256').update(key).digest('base64url').slice(0, keyIdLength);
      return { id, key };
    };
    this.#keys = [derive(current), ...earlier.map(derive)];
  }

  /** `context` names what the text belongs to: sealed text that was moved elsewhere cannot be opened. */
  seal(text: string, context: readonly string[]): string {
    const [{ id, key }] = this.#keys;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce);
    cipher.setAAD(Buffer.from(JSON.stringify([version, id, ...context])));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
    const payload = Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url');
    return `${version}.${id}.${payload}`;
  }

  /** Undefined when the key, the context or the text is another. */
  open(sealed: string, context: readonly string[]): string | undefined {
    const parts = sealed.split('.');
    const payload = parts.at(-1) ?? '';
    const bytes = Buffer.from(payload, 'base64url');
    // Decoding is lenient: of the texts that mean these bytes, only the one that was made counts.
    if (bytes.toString('base64url') !== payload) return undefined;
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    const [mark = '', id = ''] = parts;
    if (mark === version && parts.length === 3) {
      const known = this.#keys.find((key) => key.id === id);
      return known && decrypt(bytes, known.key, [mark, id, ...context]);
    }
    if (mark !== versionWithoutKeyId || parts.length !== 2) return undefined;
    const texts = this.#keys.map(({ key }) => decrypt(bytes, key, context));
    return texts.find((text) => text !== undefined);
  }
}

function decrypt(bytes: Buffer, key: Buffer, context: readonly string[]): string | undefined {
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(JSON.stringify(context)));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
