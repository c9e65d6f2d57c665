import { open } from 'node:fs/promises';

const headerBytes = 24;
const knownVersions = [2, 3];
/** The largest models have some thousand tensors and some dozen facts. */
const maxCount = 1_000_000n;

/**
 * Throws when a file cannot be a GGUF file, in a sentence. Who reads such files believes the counts in the
 * header: with wrong ones it would not come to an end.
 */
export async function checkGgufFile(path: string): Promise<void> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`there is no file ${path}; correct its path in the settings`);
  });
  try {
    const header = Buffer.alloc(headerBytes);
    const { bytesRead } = await file.read(header, 0, headerBytes, 0);
    if (bytesRead < headerBytes || header.toString('latin1', 0, 4) !== 'GGUF') {
      throw new Error('this is not a GGUF file');
    }
    const version = header.readUInt32LE(4);
    if (!knownVersions.includes(version)) throw new Error(`GGUF version ${version} is not known`);
    const tensors = header.readBigUInt64LE(8);
    const facts = header.readBigUInt64LE(16);
    if (tensors > maxCount || facts > maxCount) throw new Error('its header is damaged');
  } finally {
    await file.close();
  }
}
