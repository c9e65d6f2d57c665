import type { ArtifactRef } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { StepView, StoredOutput } from '../../contract/run/index.ts';
import type { Held, Hole, Resolved } from '../engine/activity-data.ts';
import { fillHoles } from '../plan/template.ts';
import type { RunArtifacts } from './workflows-parts.ts';

/** Makes what runs gave readable: small values as they are, big ones by name and beginning. */
export interface OutputShower {
  show(caller: Caller, held: Held): Promise<Pick<StepView, 'output' | 'stored'>>;
  /** The value with what is in artifacts put in, as far as that is not too much. */
  complete(caller: Caller, resolved: Resolved): Promise<Json>;
  /** Whether that is all of it. */
  isWhole(resolved: Resolved): boolean;
}

const previewBytes = 2_048;
/** Artifacts never change, so neither do their beginnings. */
const maxKeptPreviews = 2_000;
/** What all artifacts in one output may come to; larger ones are named instead. */
const maxFilledBytes = 4_194_304;

export function createOutputShower(artifacts: Pick<RunArtifacts, 'get' | 'page'>): OutputShower {
  const previews = new Map<string, string>();
  const store = async (caller: Caller, ref: ArtifactRef): Promise<StoredOutput> => {
    const { id, bytes, mediaType } = ref;
    const name = `${caller.id} ${id}`;
    let preview = previews.get(name);
    if (preview === undefined) {
      preview = await readPreview(artifacts, caller, id);
      if (previews.size >= maxKeptPreviews) previews.clear();
      previews.set(name, preview);
    }
    return { id, bytes, mediaType, preview };
  };
  return {
    show: async (caller, held) =>
      'value' in held ? { output: held.value } : { stored: await store(caller, held.artifact) },
    isWhole: ({ holes = [] }) => divide(holes)[1].length === 0,
    async complete(caller, resolved) {
      if (resolved.holes === undefined) return resolved.value;
      const [small, large] = divide(resolved.holes);
      let value = structuredClone(resolved.value);
      for (const hole of large) {
        const stored = await Promise.all(artifactsOf(hole).map((ref) => store(caller, ref)));
        value = put(value, hole.at, { stored: stored.map((it) => ({ ...it })) });
      }
      return fillHoles({ value, holes: small }, async (id) => {
        const bytes = await artifacts.get(caller, id);
        // Outputs of steps are kept as JSON.
        return JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
      });
    },
  };
}

/** An artifact that is gone or damaged must not hide the rest of the run. */
async function readPreview(
  artifacts: Pick<RunArtifacts, 'page'>,
  caller: Caller,
  id: string,
): Promise<string> {
  try {
    const page = await artifacts.page(caller, id, { offset: 0, maxBytes: previewBytes });
    return page.text ?? '(not text)';
  } catch {
    return '(cannot be read)';
  }
}

function divide(holes: readonly Hole[]): readonly [small: Hole[], large: Hole[]] {
  const small: Hole[] = [];
  const large: Hole[] = [];
  let filled = 0;
  for (const hole of holes) {
    const bytes = artifactsOf(hole).reduce((sum, ref) => sum + ref.bytes, 0);
    if (filled + bytes > maxFilledBytes) large.push(hole);
    else {
      filled += bytes;
      small.push(hole);
    }
  }
  return [small, large];
}

function artifactsOf({ parts }: Hole): ArtifactRef[] {
  return parts.flatMap((part) =>
    typeof part !== 'string' && 'artifact' in part ? [part.artifact] : [],
  );
}

/** The value with another one at a place in it, which is there already. */
function put(root: Json, at: readonly (string | number)[], value: Json): Json {
  const last = at.at(-1);
  if (last === undefined) return value;
  let inner: unknown = root;
  for (const key of at.slice(0, -1)) inner = Reflect.get(Object(inner), key);
  Reflect.set(Object(inner), last, value);
  return root;
}
