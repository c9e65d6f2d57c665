/**
 * Writes the pages of `docs/` that are made from the sources: `node scripts/generate-docs.ts`.
 * With `--check` it writes nothing and ends with 1 when a page is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { generatedDocs } from './generated-docs.ts';

const isCheck = process.argv.includes('--check');
let stale = 0;
for (const { path, text } of await generatedDocs()) {
  const file = new URL(`../${path}`, import.meta.url);
  const present = await readFile(file, 'utf8').catch(() => '');
  if (present === text) continue;
  stale += 1;
  if (isCheck) console.error(`${path} is stale: run "npm run docs"`);
  else {
    await writeFile(file, text);
    console.log(`wrote ${path}`);
  }
}
process.exitCode = isCheck && stale > 0 ? 1 : 0;
