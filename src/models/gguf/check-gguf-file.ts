import { readFileStart, UnusableFileError } from '../../kernel/index.ts';

const headerBytes = 24;
const knownVersions = [2, 3];
/** The largest models have some thousand tensors and some dozen facts. */
const maxCount = 1_000_000n;

/**
 * Throws when a file cannot be a GGUF file, in a sentence. Who reads such files believes the counts in the
 * header: with wrong ones it would not come to an end.
 */
export async function checkGgufFile(path: string): Promise<void> {
  const header = await readFileStart(path, { maxBytes: headerBytes }).catch((error: unknown) => {
    const isMissing = error instanceof UnusableFileError && error.reason === 'missing';
    if (!isMissing) throw error;
    throw new Error(`there is no file ${path}; correct its path in the settings`);
  });
  if (header.length < headerBytes || header.toString('latin1', 0, 4) !== 'GGUF') {
    throw new Error('this is not a GGUF file');
  }
  const version = header.readUInt32LE(4);
  if (!knownVersions.includes(version)) throw new Error(`GGUF version ${version} is not known`);
  const tensors = header.readBigUInt64LE(8);
  const facts = header.readBigUInt64LE(16);
  if (tensors > maxCount || facts > maxCount) throw new Error('its header is damaged');
}
