import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({ name: z.string(), version: z.string() });

/** How far above its entry point a package's manifest is looked for. */
const maxParents = 6;

/** The version of an installed package, also of one that does not export its `package.json`. */
export function packageVersion(name: string, requireFrom = createRequire(import.meta.url)): string {
  let folder = dirname(requireFrom.resolve(name));
  for (let step = 0; step < maxParents; step += 1) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === name) return manifest.version;
    folder = dirname(folder);
  }
  return 'of unknown version';
}

function readManifest(path: string): z.infer<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
