import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type {
  AliasMove,
  ModelFiles,
  ModelVersion,
  TrainedModels,
} from '../../contract/ml/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { DamagedModelError, UnknownModelError } from '../errors.ts';

interface ModelStoreParts {
  readonly index: ModelIndex;
  readonly artifacts: () => Promise<Pick<Artifacts, 'put' | 'get'>>;
  readonly clock: Clock;
}

const maxListed = 1_000;
const maxKnownNames = 20;
const referencePattern = /^([\w.-]{1,80})(?:@([\w.-]{1,80}))?$/;

/**
 * Models as artifacts: each file under its digest, the version as a row that is written after all files are kept, so that
 * a crash leaves files without a version and never a version without files.
 */
export function createModelStore({ index, artifacts, clock }: ModelStoreParts): TrainedModels {
  const get: TrainedModels['get'] = async (caller, reference) => {
    const [, name, which] = referencePattern.exec(reference.trim()) ?? [];
    const found =
      name === undefined ? undefined : await index.find(caller, name, selectorOf(which));
    if (found) return found;
    const known = await index.list(caller, maxListed);
    const names = [...new Set(known.map((one) => `${one.name}@${one.version}`))];
    throw new UnknownModelError(reference, names.slice(0, maxKnownNames));
  };
  return {
    get,
    list: (caller, limit) => index.list(caller, Math.min(limit, maxListed)),
    async add(caller, { name, card, files }) {
      const known = await index.byRun(caller, name, card.run.key);
      if (known) return known;
      const kept = await artifacts();
      // No run of a plan owns them: they stay when runs are pruned.
      const runId = `model-${name}-${card.run.key.slice(0, 32)}`;
      for (const file of files.files) {
        const content = await readChecked(join(files.folder, file.name), file, name);
        await kept.put(caller, {
          content,
          mediaType: file.name.endsWith('.json') ? 'application/json' : 'application/octet-stream',
          lineage: {
            runId,
            step: file.name,
            tool: `ml.${card.origin}`,
            argumentsDigest: card.run.key,
            inputs: [],
          },
        });
      }
      const createdAt = new Date(clock.now()).toISOString();
      return index.add(caller, {
        name,
        card,
        format: files.format,
        files: [...files.files],
        createdAt,
      });
    },
    async moveAlias(caller, move) {
      await get(caller, `${move.name}@${move.version}`);
      return index.addMove(caller, { ...move, at: new Date(clock.now()).toISOString() });
    },
    aliasMoves: (caller, name, limit) => index.moves(caller, name, Math.min(limit, maxListed)),
    async layOut(caller, model, folder): Promise<ModelFiles> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const kept = await artifacts();
      for (const { name, sha256 } of model.files) {
        await writeFile(join(folder, name), await kept.get(caller, `sha256:${sha256}`), {
          mode: 0o600,
        });
      }
      return { format: model.format, folder, files: model.files };
    },
  };
}

function selectorOf(which: string | undefined) {
  if (which === undefined || which === 'latest') return 'latest' as const;
  return /^\d{1,9}$/.test(which) ? { version: Number(which) } : { alias: which };
}

async function readChecked(
  path: string,
  expected: ModelVersion['files'][number],
  model: string,
): Promise<Uint8Array> {
  const content = await readFile(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (sha256 === expected.sha256) return content;
  throw new DamagedModelError(model, expected.name);
}

/**
 * The rows behind the store of models.
 *
 * 1. A version is never changed; versions of a name count from 1 without gaps.
 * 2. One run gives one version: adding it again returns the first.
 * 3. Moves of aliases are only appended; an alias is its last move.
 */
export interface ModelIndex {
  add(caller: Caller, model: Omit<ModelVersion, 'version'>): Promise<ModelVersion>;
  find(
    caller: Caller,
    name: string,
    which: { readonly version: number } | { readonly alias: string } | 'latest',
  ): Promise<ModelVersion | undefined>;
  byRun(caller: Caller, name: string, runKey: string): Promise<ModelVersion | undefined>;
  list(caller: Caller, limit: number): Promise<readonly ModelVersion[]>;
  addMove(caller: Caller, move: Omit<AliasMove, 'previous'>): Promise<AliasMove>;
  moves(caller: Caller, name: string, limit: number): Promise<readonly AliasMove[]>;
}
