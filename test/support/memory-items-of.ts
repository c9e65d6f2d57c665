import { openArtifactsHere } from '../../src/compose/workflow.ts';
import { memoriesHere } from '../../src/compose/memory.ts';
import { loadSettingsHere } from '../../src/compose/settings.ts';
import { silentLog } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';

/** Sessions, items and artifacts of a data directory, as the program puts them together, without vectors. */
export async function memoriesOf(home: string, store: Store) {
  const request = { flags: { home }, env: { HOME: home }, cwd: home };
  const settings = (await loadSettingsHere(request)).values;
  const parts = { settings, store, log: silentLog, request };
  const artifacts = await openArtifactsHere(parts);
  const { memory, memoryItems: items } = memoriesHere({
    ...parts,
    artifacts: async () => artifacts,
  });
  return { memory, items, artifacts };
}
