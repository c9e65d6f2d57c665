import type { ServerChange } from '../../contract/server/index.ts';
import type { Snapshot } from './snapshot.ts';

/** Address of the machine-readable standards of all languages. */
export const codingStandardsUri = 'config://coding-standards';

/** What a client has to be told when one snapshot follows another. */
export function compareSnapshots(before: Snapshot, after: Snapshot): ServerChange[] {
  const changes: ServerChange[] = [];
  for (const [uri, document] of after.texts) {
    const earlier = before.texts.get(uri);
    if (earlier && earlier.body !== document.body) changes.push({ kind: 'resource', uri });
  }
  if (JSON.stringify(before.codingStandards) !== JSON.stringify(after.codingStandards)) {
    changes.push({ kind: 'resource', uri: codingStandardsUri });
  }
  if (listing(before.texts) !== listing(after.texts)) changes.push({ kind: 'resources' });
  if (listing(before.prompts) !== listing(after.prompts)) changes.push({ kind: 'prompts' });
  return changes;
}

/** What shows in a list: everything but the text itself. */
function listing(documents: Snapshot['texts'] | Snapshot['prompts']): string {
  return JSON.stringify(
    [...documents].map(([key, document]) => {
      const parameters = 'parameters' in document ? document.parameters : [];
      return [key, document.title, document.description, parameters];
    }),
  );
}
