import type { RequestId } from './message.ts';

const firstSlots = 64;
/** Beyond this, entries without a free slot go to the slower table. */
const maxSlots = 4_096;

/**
 * A map by request id for short-lived entries. V8's `Map` links each outgrown table to the next, so deleted
 * entries survive until a full collection; with hundreds of calls in flight that cost more than serving them.
 * Ids are nearly always increasing numbers, so each maps to its own slot directly.
 */
export class IdTable<Value> {
  #ids: (RequestId | undefined)[] = emptySlots(firstSlots);
  #values: (Value | undefined)[] = emptySlots(firstSlots);
  #others: Record<RequestId, Value> = createEntries();
  #otherCount = 0;
  #slotCount = 0;

  get size(): number {
    return this.#slotCount + this.#otherCount;
  }

  get(id: RequestId): Value | undefined {
    if (typeof id === 'number') {
      const slot = id & (this.#ids.length - 1);
      if (this.#ids[slot] === id) return this.#values[slot];
    }
    return this.#otherCount > 0 ? this.#others[keyOf(id)] : undefined;
  }

  has(id: RequestId): boolean {
    if (typeof id === 'number' && this.#ids[id & (this.#ids.length - 1)] === id) return true;
    return this.#otherCount > 0 && keyOf(id) in this.#others;
  }

  set(id: RequestId, value: Value): void {
    const isOther = this.#otherCount > 0 && keyOf(id) in this.#others;
    if (!isOther && typeof id === 'number' && this.#putInSlot(id, value)) return;
    if (!isOther) this.#otherCount += 1;
    this.#others[keyOf(id)] = value;
  }

  delete(id: RequestId): boolean {
    if (typeof id === 'number') {
      const slot = id & (this.#ids.length - 1);
      if (this.#ids[slot] === id) {
        this.#ids[slot] = undefined;
        this.#values[slot] = undefined;
        this.#slotCount -= 1;
        return true;
      }
    }
    const key = keyOf(id);
    if (this.#otherCount === 0 || !(key in this.#others)) return false;
    // oxlint-disable-next-line typescript/no-dynamic-delete -- an object used as a table from the start
    delete this.#others[key];
    this.#otherCount -= 1;
    return true;
  }

  /** Values under numeric ids in ascending order, then the others in insertion order. */
  values(): Value[] {
    const numbered: [number, Value][] = [];
    for (const [slot, id] of this.#ids.entries()) {
      // A slot with an id holds a value.
      if (typeof id === 'number') numbered.push([id, this.#values[slot] as Value]);
    }
    numbered.sort(([a], [b]) => a - b);
    return [...numbered.map(([, value]) => value), ...Object.values(this.#others)];
  }

  clear(): void {
    this.#ids.fill(undefined);
    this.#values.fill(undefined);
    this.#others = createEntries();
    this.#otherCount = 0;
    this.#slotCount = 0;
  }

  /** False when the slot is taken and the table should not grow. */
  #putInSlot(id: number, value: Value): boolean {
    for (;;) {
      const slot = id & (this.#ids.length - 1);
      const holder = this.#ids[slot];
      if (holder === undefined || holder === id) {
        if (holder === undefined) this.#slotCount += 1;
        this.#ids[slot] = id;
        this.#values[slot] = value;
        return true;
      }
      // Sparse ids must not grow a nearly empty table.
      const isCrowded = this.#slotCount * 4 >= this.#ids.length;
      if (!isCrowded || this.#ids.length >= maxSlots) return false;
      this.#grow();
    }
  }

  /** Doubling keeps ids of different slots in different slots. */
  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    const slots = ids.length * 2;
    this.#ids = emptySlots(slots);
    this.#values = emptySlots(slots);
    for (const [at, id] of ids.entries()) {
      if (typeof id !== 'number') continue;
      const slot = id & (slots - 1);
      this.#ids[slot] = id;
      this.#values[slot] = values[at];
    }
  }
}

function emptySlots(count: number): undefined[] {
  return Array.from({ length: count }, () => undefined);
}

function createEntries<Value>(): Record<RequestId, Value> {
  // Without a prototype, `__proto__` is an ordinary id.
  return Object.create(null) as Record<RequestId, Value>;
}

/** `1` and `"1"` are different ids. */
function keyOf(id: RequestId): RequestId {
  return typeof id === 'number' ? id : `"${id}`;
}
