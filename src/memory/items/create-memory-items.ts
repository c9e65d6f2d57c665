import { randomBytes } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import {
  memoryKindSchema,
  memorySensitivitySchema,
  memoryStatusSchema,
  type ForgottenCopies,
  type ForgottenMemory,
  type MemoryComparison,
  type MemoryExplanation,
  type MemoryFilter,
  type MemoryFound,
  type MemoryItem,
  type MemoryItems,
  type MemoryQuery,
  type MemorySource,
  type MemoryState,
  type NewMemory,
} from '../../contract/memory/index.ts';
import type { ConversationRequest } from '../../contract/session/index.ts';
import { systemTimers, type Log, type Timers } from '../../kernel/index.ts';
import {
  AmbiguousMemoryError,
  SupersededMemoryError,
  TooManyMemoriesError,
  UnknownMemoryError,
  UnknownMemorySourceError,
} from '../errors.ts';
import { defaultMemoryLimits } from '../memory-limits.ts';
import { createMemorySearch } from '../search/create-memory-search.ts';
import { isOf, isWanted } from '../search/wanted-items.ts';
import { checkedText } from './checked-text.ts';
import { findContradiction } from './find-contradiction.ts';
import { turnsOf, type WordsOfItems } from './copy-store.ts';
import { describeOrigin } from './describe-origin.ts';
import { Backlog, type EmbedTexts } from './fill-backlog.ts';
import type { MemoryItemStore, MemoryPage } from './memory-item-store.ts';

export interface MemoryItemsOptions {
  readonly store: MemoryItemStore;
  readonly log: Log;
  /** The folder that what is remembered belongs to, which may change; without it to none. */
  readonly place?: (() => Promise<string>) | undefined;
  /** Without it searches go by words alone. */
  readonly embed?: EmbedTexts | undefined;
  /**
   * Removes the words of items from all but the items: from the turns they come from with the answers and runs, and
   * from what else has them.
   */
  readonly forgetElsewhere: (caller: Caller, words: WordsOfItems) => Promise<ForgottenCopies>;
  readonly maxItems?: number;
  readonly timers?: Timers;
}

/** Vectors that a search waits for, and for how long. */
const maxAwaited = 32;
const patienceMs = 5_000;
/** Ids that an ambiguous beginning is answered with. */
const maxNamed = 5;
/** Items that one call forgets. */
const maxForgotten = 1_000;
/** Versions of one item that an explanation shows, and that go with it. */
const maxVersions = 50;

/** Turns with the words of an item that are looked at when it is forgotten. */
const maxCopies = 200;
/** Shorter texts, such as "yes", are no copies of one another. */
const minCopiedLength = 12;

/** Given to a model with a message. */
const maxFacts = 5;
/** Before those, whatever the message is about. */
const maxPinnedFacts = 5;
/** Those of other projects among them are left out. */
const maxFactsRead = 20;

const everything = {
  statuses: memoryStatusSchema.options,
  sensitivities: memorySensitivitySchema.options,
} as const;
const derivedKinds = memoryKindSchema.options.filter((kind) => kind !== 'turn');

/** The memory of a data directory; `wake` has its backlog worked on. */
export function createMemoryItems(options: MemoryItemsOptions): StoredMemoryItems {
  return new StoredMemoryItems(options);
}

class StoredMemoryItems implements MemoryItems {
  readonly #options: MemoryItemsOptions;
  readonly #store: MemoryItemStore;
  readonly #timers: Timers;
  readonly #backlog: Backlog;
  readonly #search: (query: MemoryQuery) => Promise<MemoryFound>;

  constructor(options: MemoryItemsOptions) {
    const { store, embed, log, timers = systemTimers } = options;
    this.#options = options;
    this.#store = store;
    this.#timers = timers;
    this.#search = createMemorySearch({
      store,
      embed,
      clock: timers,
      log,
      place: options.place,
    });
    this.#backlog = new Backlog({ store, embed, log, timers });
  }

  wake(): void {
    this.#backlog.wake();
  }

  fill(): Promise<void> {
    return this.#backlog.fill();
  }

  async search(query: MemoryQuery): Promise<MemoryFound> {
    if (this.#options.embed) await this.#fillBriefly();
    return this.#search(query);
  }

  /** Facts and decisions that hold: those that are pinned, and those that a message asks about. */
  async findFacts({
    caller,
    message: text,
    signal,
  }: Pick<ConversationRequest, 'caller' | 'message' | 'signal'>): Promise<readonly string[]> {
    const validAt = new Date(this.#timers.now()).toISOString();
    const filter = { kinds: ['fact', 'decision'], validAt } as const;
    // Mostly there are none: then nothing is computed.
    if ((await this.#store.list(caller, filter, { limit: 1 })).length === 0) return [];
    const here = await this.#options.place?.();
    const pinned = (await this.#store.pinned(caller, maxFactsRead)).filter(
      (item) => isOf(item, here) && isWanted(item, filter),
    );
    const found = await this.search({ caller, text, filter, limit: maxFactsRead, signal });
    const asked = found.hits.flatMap(({ item }) => (isOf(item, here) ? [item.text] : []));
    const first = pinned.slice(0, maxPinnedFacts).map((item) => item.text);
    const others = asked.filter((fact) => !first.includes(fact));
    return [...first, ...(found.isAnswerable ? others.slice(0, maxFacts) : [])];
  }

  async remember(caller: Caller, memory: NewMemory): Promise<MemoryItem> {
    const item = await this.#newItem(caller, memory);
    const same = await this.#same(caller, item);
    if (same) return same;
    const { replaces: old } = await findContradiction(this.#options, caller, {
      item,
      isCorrection: false,
    });
    return old ? this.#supersede(caller, old, item) : this.#add(caller, item);
  }

  async compare(
    caller: Caller,
    text: string,
    { isCorrection = false, isEverywhere = false }: Parameters<MemoryItems['compare']>[2] = {},
  ): Promise<MemoryComparison> {
    const source = { kind: 'person', face: 'cli' } as const;
    const item = await this.#newItem(caller, { text, source, isVouchedFor: true, isEverywhere });
    return findContradiction(this.#options, caller, { item, isCorrection });
  }

  async correct(caller: Caller, id: string, memory: NewMemory): Promise<MemoryItem> {
    const old = await this.#find(caller, id);
    if (old.supersededBy !== null) throw new SupersededMemoryError(old.id, old.supersededBy);
    const isEverywhere = old.source.folder === undefined;
    const made = await this.#newItem(caller, {
      ...memory,
      isEverywhere,
      kind: kindOf(memory, old),
    });
    const source = { ...made.source, ...folderOf(old.source.folder) };
    return this.#supersede(caller, old, { ...made, source });
  }

  async forget(caller: Caller, ids: readonly string[]): Promise<ForgottenMemory> {
    const items: MemoryItem[] = [];
    for (const id of ids.slice(0, maxForgotten)) {
      const item = await this.#find(caller, id);
      for (const version of [item, ...(await this.#earlier(caller, item))]) {
        items.push(version, ...(await this.#copiesOf(caller, version)));
      }
    }
    const turns = turnsOf(items);
    const texts = items.flatMap(({ id, kind, text }) => (kind === 'turn' ? [text] : [text, id]));
    // First: what dies in between leaves an item that can be forgotten again, not words without one.
    const copies = await this.#options.forgetElsewhere(caller, { texts, turns });
    const gone = await this.#store.forget(
      caller,
      items.map(({ id }) => id),
    );
    const forgotten = [...new Set([...items, ...gone].map(({ id }) => id))];
    const counts = [...turns.values()].map(({ size }) => size);
    return { forgotten, turns: counts.reduce((sum, size) => sum + size, 0), copies };
  }

  async pin(caller: Caller, id: string, pinned: boolean): Promise<MemoryItem> {
    return this.#change(caller, id, { pinned });
  }

  async setStatus(caller: Caller, id: string, status: 'active' | 'excluded'): Promise<MemoryItem> {
    return this.#change(caller, id, { status });
  }

  async explain(caller: Caller, id: string): Promise<MemoryExplanation> {
    const item = await this.#find(caller, id);
    const earlier = await this.#earlier(caller, item);
    const [newer = null] =
      item.supersededBy === null ? [] : await this.#store.get(caller, [item.supersededBy]);
    const evidence = await this.#evidenceOf(caller, item);
    return { item, because: describeOrigin(item, this.#timers.now()), evidence, earlier, newer };
  }

  list(caller: Caller, filter: MemoryFilter, page: MemoryPage): Promise<readonly MemoryItem[]> {
    this.wake();
    return this.#store.list(caller, filter, page);
  }

  state(): Promise<MemoryState> {
    return this.#store.counts();
  }

  erase(): Promise<void> {
    return this.#store.erase();
  }

  close(): Promise<void> {
    return this.#backlog.close();
  }

  async #add(caller: Caller, item: MemoryItem): Promise<MemoryItem> {
    const outcome = await this.#store.add(caller, [{ item }]);
    if (outcome === 'unknown_source') throw unknownSource(item.source);
    this.wake();
    return item;
  }

  /** A candidate supersedes once it is accepted. */
  async #supersede(caller: Caller, old: MemoryItem, made: MemoryItem): Promise<MemoryItem> {
    const { sensitivity, pinned } = old;
    const item = { ...made, sensitivity, pinned, supersedes: old.id };
    if (item.status === 'candidate') return this.#add(caller, item);
    const outcome = await this.#store.supersede(caller, old.id, { item });
    if (outcome === 'unknown_source') throw unknownSource(made.source);
    if (outcome === 'unknown') throw new UnknownMemoryError(old.id);
    this.wake();
    return item;
  }

  /** What was said a moment ago should be found by its meaning; a long backlog is not waited for. */
  async #fillBriefly(): Promise<void> {
    const pending = await this.#store.pendingVectors(maxAwaited + 1);
    if (pending.length === 0 || pending.length > maxAwaited) return this.wake();
    await Promise.race([
      this.fill(),
      new Promise<void>((end) => this.#timers.after(patienceMs, end)),
    ]);
  }

  async #change(
    caller: Caller,
    id: string,
    change: Parameters<MemoryItemStore['change']>[2],
  ): Promise<MemoryItem> {
    const item = await this.#find(caller, id);
    await this.#store.change(caller, item.id, change);
    return this.#find(caller, item.id);
  }

  /** By its id or a unique beginning of it. */
  async #find(caller: Caller, id: string): Promise<MemoryItem> {
    const [exact] = await this.#store.get(caller, [id]);
    if (exact) return exact;
    const ids = id === '' ? [] : await this.#store.find(caller, id, maxNamed);
    const [only, ...others] = ids;
    if (only === undefined) throw new UnknownMemoryError(id);
    if (others.length > 0) throw new AmbiguousMemoryError(id, ids);
    const [item] = await this.#store.get(caller, [only]);
    if (!item) throw new UnknownMemoryError(id);
    return item;
  }

  /** The versions that an item superseded, the latest first. */
  async #earlier(caller: Caller, item: MemoryItem): Promise<readonly MemoryItem[]> {
    const earlier: MemoryItem[] = [];
    for (let before = item.supersedes; before !== null && earlier.length < maxVersions;) {
      const [version]: readonly MemoryItem[] = await this.#store.get(caller, [before]);
      if (!version) break;
      earlier.push(version);
      before = version.supersedes;
    }
    return earlier;
  }

  /** Turns that have the words of an item, as answers and forks do, and what was remembered from a turn. */
  async #copiesOf(caller: Caller, item: MemoryItem): Promise<readonly MemoryItem[]> {
    const found = await this.#store.byWords(caller, splitWords(item.text), {
      filter: { ...everything, kinds: ['turn'] },
      limit: maxCopies,
    });
    const alike = await this.#store.get(
      caller,
      found.map(({ id }) => id),
    );
    const isLong = item.text.length >= minCopiedLength;
    const copies = isLong ? alike.filter(({ text }) => text.includes(item.text)) : [];
    if (item.kind !== 'turn' || item.source.kind !== 'turn') return copies;
    const { session, turn } = item.source;
    const ofSession = await this.#store.list(
      caller,
      { ...everything, kinds: derivedKinds, session },
      { limit: maxForgotten },
    );
    const derived = ofSession.filter(
      ({ source }) => source.kind === 'turn' && source.turn === turn,
    );
    return [...copies, ...derived];
  }

  /** The item of the same words, if it counts as much. */
  async #same(caller: Caller, item: MemoryItem): Promise<MemoryItem | undefined> {
    const filter = { kinds: [item.kind], statuses: [item.status], validAt: item.validFrom };
    const search = { filter: { ...filter, sensitivities: [item.sensitivity] }, limit: maxNamed };
    const found = await this.#store.byWords(caller, splitWords(item.text), search);
    const items = await this.#store.get(
      caller,
      found.map(({ id }) => id),
    );
    return items.find(
      ({ text, source }) => text === item.text && source.folder === item.source.folder,
    );
  }

  async #newItem(caller: Caller, memory: NewMemory): Promise<MemoryItem> {
    const { maxItems = defaultMemoryLimits.maxItems } = this.#options;
    const text = checkedText(memory.text);
    if ((await this.#store.count(caller)) >= maxItems) throw new TooManyMemoriesError(maxItems);
    const now = new Date(this.#timers.now()).toISOString();
    const observedAt = memory.observedAt ?? now;
    const here = memory.isEverywhere === true ? undefined : await this.#options.place?.();
    return {
      // A letter first: no id is taken for the beginning of a session's.
      id: `m${randomBytes(6).toString('hex')}`,
      kind: memory.kind ?? 'fact',
      text,
      source: { ...memory.source, ...folderOf(here) },
      status: memory.isVouchedFor ? 'active' : 'candidate',
      sensitivity: memory.sensitivity ?? 'normal',
      pinned: memory.isVouchedFor && (memory.pinned ?? false),
      observedAt,
      validFrom: memory.validFrom ?? observedAt,
      validUntil: memory.validUntil ?? null,
      supersedes: null,
      supersededBy: null,
    };
  }

  async #evidenceOf(caller: Caller, { source, kind }: MemoryItem): Promise<string | null> {
    if (source.kind !== 'turn' || kind === 'turn') return null;
    const [turn] = await this.#store.get(caller, [`${source.session}-${source.turn}`]);
    return turn?.text ?? null;
  }
}

function folderOf(folder: string | undefined): { readonly folder?: string } {
  return folder === undefined ? {} : { folder };
}

function splitWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function kindOf(memory: NewMemory, old: MemoryItem): Exclude<MemoryItem['kind'], 'turn'> {
  return memory.kind ?? (old.kind === 'turn' ? 'fact' : old.kind);
}

function unknownSource(source: MemorySource): UnknownMemorySourceError {
  const name =
    source.kind === 'turn'
      ? `turn ${source.turn} of session ${source.session}`
      : source.kind === 'run'
        ? `run ${source.runId}`
        : source.kind;
  return new UnknownMemorySourceError(name);
}
