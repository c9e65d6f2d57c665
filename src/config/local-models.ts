import { join } from 'node:path';
import { z } from 'zod';
import {
  decodeText,
  makeFolderFor,
  readBytes,
  withFileLock,
  writeFileAtomically,
} from './locked-file.ts';

const decisionsSchema = z.object({
  models: z.array(
    z.object({
      url: z.string(),
      owner: z.string(),
      isAccepted: z.boolean(),
      decidedAt: z.string(),
    }),
  ),
});
const maxFileBytes = 1_048_576;

/** What the user said about a server of models at an address of this machine, run by this user of it. */
export type ModelDecision = z.output<typeof decisionsSchema>['models'][number];

/** All decisions so far. A file that is damaged accepts nothing. */
export async function readModelDecisions(home: string): Promise<readonly ModelDecision[]> {
  try {
    const bytes = await readBytes(fileIn(home), maxFileBytes);
    const text = bytes && decodeText(bytes);
    return text === undefined ? [] : decisionsSchema.parse(JSON.parse(text)).models;
  } catch {
    return [];
  }
}

/** Keeps a decision in place of one about the same address. */
export async function keepModelDecision(home: string, decision: ModelDecision): Promise<void> {
  const path = fileIn(home);
  await makeFolderFor(path);
  await withFileLock(path, async () => {
    const others = (await readModelDecisions(home)).filter(({ url }) => url !== decision.url);
    const models = [...others, decision];
    await writeFileAtomically(path, `${JSON.stringify({ models }, null, 2)}\n`);
  });
}

function fileIn(home: string): string {
  return join(home, 'local-models.json');
}
