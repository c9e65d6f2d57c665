import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { digestJson, ownFile } from '../../../kernel/index.ts';

/** The files of a program that runs in the sandbox, by name; they ship beside the engines. */
export async function readProgram(folder: string): Promise<Record<string, string>> {
  const place = ownFile(`toolbox/ml/engines/${folder}/`);
  const names = (await readdir(place)).filter((name) => /\.(?:mjs|py|json)$/.test(name)).sort();
  const texts = names.map(async (name): Promise<[string, string]> => [
    name,
    await readFile(new URL(name, place), 'utf8'),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

/** The embedded program with the tokenizers it uses: one file of the package, without dependencies. */
export async function readEmbeddedProgram(): Promise<Record<string, string>> {
  const main = createRequire(import.meta.url).resolve('@huggingface/tokenizers');
  const path = join(dirname(main), 'tokenizers.min.mjs');
  const tokenizers = await readFile(path, 'utf8');
  return { ...(await readProgram('embedded/program')), 'tokenizers.mjs': tokenizers };
}

export function hashProgram(sources: Readonly<Record<string, string | Uint8Array>>): string {
  const hash = createHash('sha256');
  for (const [name, text] of Object.entries(sources)) hash.update(`${name}\0`).update(text);
  return `sha256:${hash.digest('hex')}`;
}

/** The runtime of the embedded program: the Node of the sandbox is this one's. */
export const nodeDigest = (): string => digestJson([process.version, process.arch]);
