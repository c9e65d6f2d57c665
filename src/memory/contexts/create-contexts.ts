import type { Caller } from '../../contract/caller/index.ts';
import {
  contextNameSchema,
  contextSchema,
  type Context,
  type ContextItem,
  type Contexts,
  type ContextVersion,
  type NewContext,
} from '../../contract/context/index.ts';
import type { HideSecrets } from '../../contract/secret/index.ts';
import { countTokens, type Clock } from '../../kernel/index.ts';
import { canonicalText, contextId, readImport } from './read-import.ts';
import type {
  AddedContext,
  ContextLimits,
  ContextReference,
  ContextStore,
} from './context-store.ts';
import { diffContexts } from './diff-contexts.ts';
import {
  AmbiguousContextError,
  ContextLimitError,
  InvalidContextError,
  ShareRefusedError,
  UnknownContextError,
} from '../errors.ts';
import { gatherItems, type ContextSources } from './gather-items.ts';
import { packContext } from './pack-context.ts';

export interface ContextsOptions {
  readonly store: ContextStore;
  readonly sources: ContextSources;
  /** Loads what hides secrets in texts for a model. */
  readonly hideSecrets: () => Promise<HideSecrets>;
  readonly clock: Clock;
  /** Where `pack` is given no number. */
  readonly defaultTokens: number;
  readonly limits?: Partial<ContextLimits>;
}

const defaultContextLimits: ContextLimits = {
  maxVersions: 50_000,
  maxBytes: 1_073_741_824,
  maxShares: 100,
};
/** Of the canonical text of one version. */
const maxVersionBytes = 2_097_152;
const maxExportChars = 1_000_000;
const maxMatches = 5;
const maxCallerIdChars = 200;

/**
 * Contexts of callers.
 *
 * 1. A version's id is the SHA-256 of its canonical text; nothing else is stored of what it holds.
 * 2. Who may not read a version gets the answer for one that does not exist.
 * 3. Only `pack` makes text for a model, with secrets hidden.
 */
export function createContexts(options: ContextsOptions): Contexts {
  const parts = { ...options, limits: { ...defaultContextLimits, ...options.limits } };
  return { ...reading(parts), ...writing(parts), ...sharing(parts) };
}

type Parts = ContextsOptions & { readonly limits: ContextLimits };

function reading(
  parts: Parts,
): Pick<Contexts, 'list' | 'history' | 'show' | 'diff' | 'pack' | 'export'> {
  const { store, defaultTokens } = parts;
  return {
    list: (caller, { limit }) => store.latest(caller.id, limit),
    async history(caller, ref, { limit, after }) {
      const chain = await store.chain(await findVersion(store, caller, ref));
      const start = after === undefined ? 0 : chain.findIndex(({ id }) => id === after) + 1;
      return after !== undefined && start === 0 ? [] : chain.slice(start, start + limit);
    },
    async show(caller, ref) {
      const version = await findVersion(store, caller, ref);
      return { ...version, context: await readVersion(store, version) };
    },
    async diff(caller, fromRef, toRef) {
      const from = await findVersion(store, caller, fromRef);
      const to = await findVersion(store, caller, toRef);
      const versions = [await readVersion(store, from), await readVersion(store, to)] as const;
      return { from: from.id, to: to.id, ...diffContexts(...versions) };
    },
    async pack(caller, ref, { maxTokens = defaultTokens } = {}) {
      const version = await findVersion(store, caller, ref);
      const context = await readVersion(store, version);
      const hideSecrets = await parts.hideSecrets();
      return packContext(context, { id: version.id, maxTokens, hideSecrets });
    },
    async export(caller, ref, { offset, limit = Infinity }) {
      const chain = (await store.chain(await findVersion(store, caller, ref))).toReversed();
      const texts: string[] = [];
      let chars = 0;
      for (const version of chain.slice(offset)) {
        if (chars > maxExportChars || texts.length >= limit) break;
        const text = await store.text(version);
        if (text === undefined) throw new UnknownContextError(version.id);
        texts.push(text);
        chars += text.length;
      }
      const end = offset + texts.length;
      return { texts, nextOffset: end < chain.length ? end : null, total: chain.length };
    },
  };
}

function writing(parts: Parts): Pick<Contexts, 'create' | 'import' | 'remove'> {
  const { store, clock, limits, sources } = parts;
  const add = async (versions: readonly AddedContext[]): Promise<number> => {
    const result = await store.add(versions, limits);
    if (result.kind === 'added') return result.count;
    const { maxBytes, maxVersions } = limits;
    throw new ContextLimitError(result.what, result.what === 'bytes' ? maxBytes : maxVersions);
  };
  return {
    async create(caller, wanted) {
      const gathered = await gatherItems(caller, wanted.items, sources);
      const next = await nextVersion(caller, { ...wanted, gathered }, store);
      if ('id' in next) return next;
      const version = newVersion(caller, next, clock.now());
      await add([version]);
      return findVersion(store, caller, version.id);
    },
    async import(caller, texts) {
      const versions = readImport(texts).map((one) => newVersion(caller, one, clock.now()));
      await checkParents(caller, versions, store);
      const added = await add(versions);
      const latest = await findVersion(store, caller, versions.at(-1)?.id ?? '');
      return { added, known: versions.length - added, latest };
    },
    async remove(caller, ref) {
      const { id, name, owner } = await findOwned(store, caller, ref);
      return store.remove(owner, ref === name ? { name } : { id });
    },
  };
}

function sharing({ store, limits }: Parts): Pick<Contexts, 'share' | 'unshare' | 'sharedWith'> {
  return {
    async share(caller, ref, sharedWith) {
      const { name, owner } = await findOwned(store, caller, ref);
      checkTarget(caller, sharedWith);
      const isShared = await store.share({ owner, name, sharedWith }, limits.maxShares);
      if (!isShared) throw new ContextLimitError('shares', limits.maxShares);
      return store.shares(owner, name);
    },
    async unshare(caller, ref, sharedWith) {
      const { name, owner } = await findOwned(store, caller, ref);
      await store.unshare({ owner, name, sharedWith });
      return store.shares(owner, name);
    },
    async sharedWith(caller, ref) {
      const { name, owner } = await findOwned(store, caller, ref);
      return store.shares(owner, name);
    },
  };
}

async function readVersion(store: ContextStore, version: ContextVersion): Promise<Context> {
  const text = await store.text(version);
  if (text === undefined) throw new UnknownContextError(version.id);
  return contextSchema.parse(JSON.parse(text));
}

async function findOwned(
  store: ContextStore,
  caller: Caller,
  ref: string,
): Promise<ContextVersion> {
  const found = await findVersion(store, caller, ref);
  // Others may read it, which is all they are to know.
  if (found.owner !== caller.id) throw new UnknownContextError(ref);
  return found;
}

/** An id or its beginning, `name@3`, a name. */
function readReference(ref: string): ContextReference | undefined {
  if (/^ctx-[0-9a-f]{1,64}$/.test(ref)) return { idPrefix: ref };
  const [, name = '', number] = /^([^@]+)(?:@(\d{1,9}))?$/.exec(ref) ?? [];
  if (!contextNameSchema.safeParse(name).success) return undefined;
  return { name, ...(number !== undefined && { number: Number(number) }) };
}

async function findVersion(
  store: ContextStore,
  caller: Caller,
  ref: string,
): Promise<ContextVersion> {
  const reference = readReference(ref);
  const found = reference ? await store.find(caller.id, reference, maxMatches) : [];
  const own = found.filter(({ owner }) => owner === caller.id);
  const matches = own.length > 0 ? own : found;
  const [first] = matches;
  if (!first) throw new UnknownContextError(ref);
  // The same content of two owners is the same: either will do.
  const ids = new Set(matches.map(({ id }) => id));
  if (ids.size > 1) throw new AmbiguousContextError(ref, [...ids]);
  return first;
}

/** What is to be stored; the parent itself where it holds the same items. */
async function nextVersion(
  caller: Caller,
  wanted: NewContext & { readonly gathered: readonly ContextItem[] },
  store: ContextStore,
): Promise<Context | ContextVersion> {
  const { name, parent: parentRef, isAddition = false, gathered } = wanted;
  const parent =
    parentRef === undefined
      ? await findLatest(store, caller, name)
      : await findVersion(store, caller, parentRef);
  const before = parent && (await readVersion(store, parent));
  const items = isAddition ? withAdded(before?.items ?? [], gathered) : gathered;
  const checked = contextSchema.safeParse({ version: 1, name, parent: parent?.id ?? null, items });
  if (!checked.success) throw invalid(checked.error.issues);
  if (items.length === 0) throw invalid([{ path: ['items'], message: 'are missing' }]);
  const isSame =
    before?.name === name &&
    parent?.owner === caller.id &&
    canonicalText({ ...before, parent: null }) === canonicalText({ ...checked.data, parent: null });
  return isSame && parent ? parent : checked.data;
}

async function findLatest(
  store: ContextStore,
  caller: Caller,
  name: string,
): Promise<ContextVersion | undefined> {
  const found = await store.find(caller.id, { name }, maxMatches);
  return found.find(({ owner }) => owner === caller.id);
}

function withAdded(
  before: readonly ContextItem[],
  added: readonly ContextItem[],
): readonly ContextItem[] {
  const isSame = (one: ContextItem, other: ContextItem): boolean =>
    one.kind === other.kind && one.title === other.title;
  const replaced = before.map((item) => added.findLast((one) => isSame(one, item)) ?? item);
  const further = added.filter((item) => !before.some((one) => isSame(one, item)));
  return [...replaced, ...further];
}

function invalid(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): InvalidContextError {
  const problems = issues
    .slice(0, maxMatches)
    .map(({ path, message }) => `${path.join('.')} ${message}`.trim());
  return new InvalidContextError('The context was not made', problems);
}

function newVersion(caller: Caller, context: Context, nowMs: number): AddedContext {
  const text = canonicalText(context);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxVersionBytes) {
    const problem = `"${context.name}" has ${bytes} bytes, and a version may have ${maxVersionBytes}`;
    throw new InvalidContextError('The context was not stored', [problem]);
  }
  return {
    id: contextId(text),
    name: context.name,
    parent: context.parent,
    owner: caller.id,
    createdAt: new Date(nowMs).toISOString(),
    items: context.items.length,
    bytes,
    tokens: context.items.reduce((sum, item) => sum + countTokens(item.text), 0),
    text,
  };
}

/** A parent is in the import or known; only the oldest version may have one that is not. */
async function checkParents(
  caller: Caller,
  versions: readonly AddedContext[],
  store: ContextStore,
): Promise<void> {
  const seen = new Set<string>();
  for (const [index, { id, parent }] of versions.entries()) {
    seen.add(id);
    if (parent === null || index === 0 || seen.has(parent)) continue;
    const [known] = await store.find(caller.id, { idPrefix: parent }, 1);
    if (known) continue;
    const problem = `line ${index + 1} names the parent ${parent}, which is not there: a line was changed or left out`;
    throw new InvalidContextError('The contexts were not imported', [problem]);
  }
}

/** A tenant's contexts stay in the tenant. */
function checkTarget({ id, tenant }: Caller, sharedWith: string): void {
  if (sharedWith === '' || sharedWith.length > maxCallerIdChars || /[\s\p{C}]/u.test(sharedWith)) {
    throw new ShareRefusedError(sharedWith, 'that is no name of a caller, such as acme/alice');
  }
  if (sharedWith === id) throw new ShareRefusedError(sharedWith, 'it belongs to that caller');
  if (tenant !== undefined && !sharedWith.startsWith(`${tenant}/`)) {
    throw new ShareRefusedError(sharedWith, `only callers of the tenant ${tenant} can be named`);
  }
}
