import type { Contexts, ImportReport } from '../contract/context/index.ts';
import type { Feedback } from '../contract/feedback/index.ts';
import type { Connection } from './connection.ts';

/** Of one request of an import. */
const maxImportChars = 1_500_000;

/** The contexts of a server. */
export function remoteContexts(connection: Connection): Contexts {
  const at = (id: string): { readonly path: { readonly id: string } } => ({ path: { id } });
  return {
    create: async (_caller, { name, items, parent, isAddition = false }) =>
      connection.call('postContexts', {
        body: {
          name,
          items: [...items],
          add: isAddition,
          ...(parent !== undefined && { parent }),
        },
      }),
    list: async (_caller, { limit }) => connection.all('getContexts', {}, { limit }),
    history: async (_caller, id, { limit }) =>
      connection.all('getContextsByIdVersions', at(id), { limit }),
    show: async (_caller, id) => connection.call('getContextsById', at(id)) as never,
    diff: async (_caller, id, to) =>
      connection.call('getContextsByIdDiff', { ...at(id), query: { to } }) as never,
    pack: async (_caller, id, { maxTokens } = {}) =>
      connection.call('getContextsByIdText', {
        ...at(id),
        query: maxTokens === undefined ? {} : { maxTokens },
      }) as never,
    async export(_caller, id) {
      const texts = await connection.all('getContextsByIdExport', at(id));
      return { texts, nextOffset: null, total: texts.length };
    },
    import: (_caller, texts) => importAll(connection, texts),
    share: async (_caller, id, caller) =>
      (await connection.call('postContextsByIdShare', { ...at(id), body: { caller } })).sharedWith,
    unshare: async (_caller, id, caller) =>
      (await connection.call('postContextsByIdUnshare', { ...at(id), body: { caller } }))
        .sharedWith,
    sharedWith: async (_caller, id) =>
      (await connection.call('getContextsByIdShares', at(id))).sharedWith,
    remove: async (_caller, id) => (await connection.call('deleteContextsById', at(id))).removed,
  };
}

/** In several requests where they do not fit into one: each is all or nothing. */
async function importAll(connection: Connection, texts: readonly string[]): Promise<ImportReport> {
  let [added, known] = [0, 0];
  let start = 0;
  for (;;) {
    const end = endOfRequest(texts, start);
    const body = { versions: texts.slice(start, end) };
    const report = await connection.call('postContextsImport', { body });
    added += report.added;
    known += report.known;
    start = end;
    if (start >= texts.length) return { added, known, latest: report.latest };
  }
}

const maxImportVersions = 5_000;

function endOfRequest(texts: readonly string[], start: number): number {
  let [end, chars] = [start, 0];
  while (end < texts.length && end - start < maxImportVersions) {
    // In JSON a character of a text that is JSON itself may take two.
    chars += 2 * (texts[end]?.length ?? 0);
    if (end > start && chars > maxImportChars) break;
    end += 1;
  }
  return end;
}

/** What its people think of the results of a server. Decisions are noticed by the server itself. */
export function remoteFeedback(connection: Connection): Feedback {
  return {
    give: async (_caller, { about, isGood, reason }) =>
      connection.call('postFeedback', {
        body: {
          ...about,
          verdict: isGood ? 'up' : 'down',
          ...(reason !== undefined && { reason }),
        },
      }),
    notice: async () => {},
    list: async (_caller, { limit }) => connection.all('getFeedback', {}, { limit }),
    learned: async (_caller, { weeks }) =>
      connection.call('getLearned', { query: { weeks } }) as never,
  };
}
