import type { ArtifactRef, Artifacts, NewLineage } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { RecentValues } from '../../kernel/index.ts';
import type { Held, Resolved } from '../engine/activity-data.ts';
import { loadHeld } from '../plan/template.ts';
import type { EffectLimits } from './effect-ports.ts';
import { TooDeepError, TooLargeError } from './errors.ts';

/** On whose behalf and for which step a value is kept or read. */
export interface ValueUser {
  readonly caller: Caller;
  readonly step: string;
}

/** Values of steps, wherever they are kept: small ones in the journal, others as artifacts. */
export class HeldValues {
  readonly #artifacts: Artifacts;
  readonly #limits: EffectLimits;
  /** Parsed artifacts: each element of a `forEach` over a big list loads the same one. */
  readonly #loaded: RecentValues<Promise<Json>>;

  constructor(artifacts: Artifacts, limits: EffectLimits) {
    this.#artifacts = artifacts;
    this.#limits = limits;
    this.#loaded = new RecentValues(limits.cachedBytes);
  }

  /**
   * A value as the journal keeps it; an artifact is on disk before this returns. A run sees the same value
   * before and after a crash, so what JSON would change comes out changed.
   */
  async hold(value: unknown, { caller, step }: ValueUser, origin: () => NewLineage): Promise<Held> {
    const atMost = measureJson(value);
    const { inlineBytes, resultBytes } = this.#limits;
    // Measured: it holds nothing but what JSON has.
    if (atMost <= inlineBytes) return { value: value as Json };
    if (atMost === tooDeep) throw new TooDeepError(step, 'result');
    const text = JSON.stringify(value) ?? 'null';
    const plain: Json = Number.isNaN(atMost) ? JSON.parse(text) : (value as Json);
    if (measureJson(plain) === tooDeep) throw new TooDeepError(step, 'result');
    const bytes = Buffer.byteLength(text);
    if (bytes <= inlineBytes) return { value: plain };
    if (bytes > resultBytes) {
      throw new TooLargeError({ step, part: 'result', bytes, maxBytes: resultBytes });
    }
    const artifact = await this.#artifacts.put(caller, {
      content: text,
      mediaType: 'application/json',
      lineage: origin(),
    });
    this.#loaded.set(keyOf(caller, artifact.id), Promise.resolve(plain), bytes);
    return { artifact, path: [] };
  }

  /** A value with all that lies in artifacts filled in. */
  load(held: Held, { caller, step }: ValueUser): Promise<Json> {
    const refs = artifactsIn(held);
    for (const { bytes } of refs) {
      const maxBytes = this.#limits.loadBytes;
      if (bytes > maxBytes) throw new TooLargeError({ step, part: 'value', bytes, maxBytes });
    }
    return loadHeld(held, (id) => {
      const bytes = refs.find((ref) => ref.id === id)?.bytes ?? 0;
      return this.#load(id, caller, bytes);
    });
  }

  /** The same for arguments, which have a limit of their own. */
  async fill(args: Resolved, user: ValueUser): Promise<Json> {
    const value = args.holes === undefined ? args.value : await this.load(args, user);
    const { step } = user;
    const { argumentBytes } = this.#limits;
    const part = 'arguments';
    const atMost = measureJson(value);
    if (atMost <= argumentBytes) return value;
    if (atMost === tooDeep) throw new TooDeepError(step, part);
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes <= argumentBytes) return value;
    throw new TooLargeError({ step, part, bytes, maxBytes: argumentBytes });
  }

  /** Keeps what another run made as long as the run of `origin`. Undefined when it is gone. */
  async adopt(
    held: Held,
    { caller }: ValueUser,
    origin: () => NewLineage,
  ): Promise<Held | undefined> {
    if (!('artifact' in held)) return held;
    try {
      const artifact = await this.#artifacts.hold(caller, held.artifact.id, origin());
      return { ...held, artifact };
    } catch {
      return undefined;
    }
  }

  async #load(id: string, caller: Caller, bytes: number): Promise<Json> {
    const key = keyOf(caller, id);
    const known = this.#loaded.get(key);
    if (known) return known;
    const value = this.#read(id, caller);
    this.#loaded.set(key, value, bytes);
    try {
      return await value;
    } catch (error) {
      this.#loaded.delete(key);
      throw error;
    }
  }

  async #read(id: string, caller: Caller): Promise<Json> {
    const content = await this.#artifacts.get(caller, id);
    return JSON.parse(new TextDecoder().decode(content));
  }
}

/** Every artifact a value is filled from. */
export function artifactsIn(held: Held | Resolved): readonly ArtifactRef[] {
  if ('artifact' in held) return [held.artifact];
  const parts = (held.holes ?? []).flatMap((hole) => hole.parts);
  return parts.flatMap((part) => (typeof part === 'string' ? [] : artifactsIn(part)));
}

function keyOf(caller: Caller, id: string): string {
  return `${id} ${caller.id}`;
}

/** Levels of lists and objects within each other that are taken from a tool or given to one. */
const maxJsonDepth = 500;
/** A character may become `\u0000`. */
const maxBytesPerCharacter = 6;
const numberBytes = 25;
const falseBytes = 5;

/** What came is no JSON as it stands: `undefined`, a date, a number that is none … */
const notJson = Number.NaN;
/** It is nested deeper than is taken. */
export const tooDeep = Number.POSITIVE_INFINITY;

/**
 * At most how many bytes a value has as JSON, without making the text; `tooDeep`, or NaN for what JSON
 * would change. Costs a fraction of writing it.
 */
export function measureJson(value: unknown): number {
  return measure(value, 0);
}

function measure(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length * maxBytesPerCharacter + 2;
  if (typeof value === 'number') return Number.isFinite(value) ? numberBytes : notJson;
  if (typeof value === 'boolean') return falseBytes;
  if (typeof value !== 'object') return notJson;
  if (value === null) return falseBytes;
  if (depth >= maxJsonDepth) return tooDeep;
  return Array.isArray(value) ? measureList(value, depth) : measureObject(value, depth);
}

function measureList(list: readonly unknown[], depth: number): number {
  let bytes = 2;
  for (const item of list) bytes += measure(item, depth + 1) + 1;
  return bytes;
}

function measureObject(object: object, depth: number): number {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return notJson;
  // A cast for the reader of types only; `in` finds nothing inherited in objects with these prototypes, and
  // makes no list of entries, which would cost more than all the rest.
  const members = object as Readonly<Record<string, unknown>>;
  let bytes = 2;
  for (const name in members) {
    bytes += name.length * maxBytesPerCharacter + 4 + measure(members[name], depth + 1);
  }
  return bytes;
}
