import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Caller } from '../../../contract/caller/index.ts';
import type { ModelFile, ModelFiles, ModelVersion } from '../../../contract/ml/index.ts';
import { AppError, nearest, readFileStart, readRegularFile } from '../../../kernel/index.ts';
import { isObject } from '../dataset/read-json.ts';
import { UnusableModelError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';

export interface FoundModel {
  readonly files: ModelFiles;
  /** Where it is in the store; absent for a folder. */
  readonly version?: ModelVersion | undefined;
  readonly licences: readonly string[];
}

type Parts = Pick<MlParts, 'models' | 'roots' | 'home'>;

/** Folders of a project in which models are looked for by name. */
const modelFolders = ['.', 'models', 'checkpoints'] as const;
const maxHeaderBytes = 100 * 1024 * 1024;
const maxConfigBytes = 1024 * 1024;
const maxModelFiles = 64;
const maxNames = 500;

/** A model by its name in the store, or a folder inside the roots that holds one. Throws `ml.unusable_model`. */
export async function findModel(
  parts: Parts,
  caller: Caller,
  reference: string,
): Promise<FoundModel> {
  const folder = await findFolder(parts.roots, reference);
  if (folder !== undefined)
    return {
      files: await readFolder(reference, folder, parts.roots),
      licences: await licencesOf(folder),
    };
  const version = await parts.models.get(caller, reference).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'ml.unknown_model') return undefined;
    throw error;
  });
  if (!version) {
    const close = nearest(reference, await namesHere(parts, caller));
    const hint = close === undefined ? '' : `; did you mean "${close}"?`;
    const advice = `it is neither in the store nor a folder with config.json, model.safetensors and tokenizer.json (${parts.roots.join(', ')}; looked in ${modelFolders.join(', ')})${hint}`;
    throw new UnusableModelError(reference, advice);
  }
  const place = join(parts.home, 'ml', 'models', digestOf(version.files));
  return {
    files: await parts.models.layOut(caller, version, place),
    version,
    licences: version.card.licences,
  };
}

/** Models of the store, and folders that look like one. */
async function namesHere({ roots, models }: Parts, caller: Caller): Promise<readonly string[]> {
  const names = (await models.list(caller, maxNames)).map(({ name }) => name);
  for (const root of roots) {
    for (const below of modelFolders) {
      const entries = await readdir(join(root, below)).catch(() => []);
      for (const name of entries.slice(0, maxNames)) {
        const isModel = await stat(join(root, below, name, 'config.json')).catch(() => undefined);
        if (isModel) names.push(name);
      }
    }
  }
  return names;
}

function digestOf(files: readonly ModelFile[]): string {
  const hash = createHash('sha256');
  for (const { name, sha256 } of files) hash.update(`${name}\n${sha256}\n`);
  return hash.digest('hex').slice(0, 40);
}

async function findFolder(
  roots: readonly string[],
  reference: string,
): Promise<string | undefined> {
  const plain = reference.replace(/^@/, '');
  for (const root of roots) {
    for (const below of modelFolders) {
      const folder = resolve(root, below, plain);
      const found = await stat(join(folder, 'config.json')).catch(() => undefined);
      if (found?.isFile() === true) return folder;
    }
  }
  return undefined;
}

async function readFolder(
  reference: string,
  folder: string,
  roots: readonly string[],
): Promise<ModelFiles> {
  const names = (await readdir(folder))
    .filter((name) => /\.(?:json|safetensors|model|txt)$/.test(name))
    .toSorted();
  for (const name of ['model.safetensors', 'tokenizer.json']) {
    if (!names.includes(name)) throw new UnusableModelError(reference, `its folder has no ${name}`);
  }
  if (names.length > maxModelFiles)
    throw new UnusableModelError(reference, `its folder has more than ${maxModelFiles} files`);
  await checkWeights(reference, join(folder, 'model.safetensors'), roots);
  await checkJson(reference, join(folder, 'config.json'), roots);
  const files: ModelFile[] = [];
  for (const name of names) files.push(await hashFile(folder, name));
  return { format: 'llama', folder, files };
}

/** The header of safetensors says where each tensor lies: all of them must lie in the file. */
async function checkWeights(
  reference: string,
  path: string,
  roots: readonly string[],
): Promise<void> {
  const { size } = await stat(path);
  const broken = (why: string): UnusableModelError =>
    new UnusableModelError(reference, `${basename(path)} is damaged: ${why}; fetch it again`);
  const start = await readFileStart(path, { maxBytes: 8, inside: roots });
  const length = start.length === 8 ? Number(start.readBigUInt64LE()) : 0;
  if (length < 2 || length > maxHeaderBytes || length + 8 > size) {
    throw broken(`its header would be ${length} bytes of ${size}`);
  }
  const bytes = await readFileStart(path, { maxBytes: 8 + length, inside: roots });
  const header = parse(bytes.subarray(8).toString('utf8'));
  if (!isObject(header)) throw broken('its header is no JSON');
  for (const [name, tensor] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const offsets = isObject(tensor) ? tensor['data_offsets'] : undefined;
    const end = Array.isArray(offsets) ? Number(offsets[1]) : NaN;
    if (!(end >= 0 && end <= size - 8 - length))
      throw broken(`tensor "${name}" lies beyond its end`);
  }
}

async function checkJson(reference: string, path: string, roots: readonly string[]): Promise<void> {
  const bytes = await readRegularFile(path, { maxBytes: maxConfigBytes, inside: roots });
  if (!isObject(parse(bytes.toString('utf8')))) {
    throw new UnusableModelError(reference, `${basename(path)} is no JSON object`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function hashFile(folder: string, name: string): Promise<ModelFile> {
  const hash = createHash('sha256');
  const path = join(folder, name);
  await pipeline(createReadStream(path), hash);
  return { name, sha256: hash.digest('hex'), bytes: (await stat(path)).size };
}

/** What its card says, if it has one. */
async function licencesOf(folder: string): Promise<readonly string[]> {
  const text = await readRegularFile(join(folder, 'README.md'), { maxBytes: maxConfigBytes }).catch(
    () => undefined,
  );
  const found = text && /^license(?:_name)?:\s*(\S.*)$/m.exec(text.toString('utf8'))?.[1];
  return found ? [`base: ${found}`] : ['base: not stated'];
}
