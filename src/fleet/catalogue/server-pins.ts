import type { ToolChange, ToolDiff } from '../../contract/fleet/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { digestJson, type Log } from '../../kernel/index.ts';
import { UnknownNameError } from '../errors.ts';
import type { ListingCache } from './listing-cache.ts';
import type { Listing } from './listing.ts';
import {
  acceptTools,
  carefulOf,
  definitionOf,
  rememberTools,
  type RecordedChange,
  type ToolRecord,
  type ToolRecords,
} from './tool-records.ts';

/** What a server said of its tools and of itself, as accepted and as last seen. */
export interface ServerRecords {
  readonly tools: ToolRecords;
  readonly instructions?: {
    readonly digest: string;
    /** Shown while a change is not accepted. */
    readonly accepted: string;
    readonly changedAt?: string;
  };
}

interface PinOptions {
  readonly name: string;
  /** Undefined where nothing is cached: then it counts for this process. */
  readonly cacheKey: string | undefined;
  readonly cache: ListingCache;
  readonly log: Log;
  readonly now: () => string;
}

/** The name under which changed instructions are shown and accepted. */
export const instructionsName = 'instructions';
const maxInstructions = 8_000;

/**
 * Compares every listing of a configured server with what was accepted.
 *
 * 1. The first listing of a server is accepted as it is; what is changed or new later waits for the user.
 * 2. A definition that returns to what was accepted needs no acceptance.
 * 3. Records are shared by all processes through the cache and read again before they are written.
 */
export class ServerPins {
  readonly #options: PinOptions;
  #records: ServerRecords | undefined;

  constructor(options: PinOptions) {
    this.#options = options;
  }

  /** Changes that wait for the user; `isHeld` says whether they are in force meanwhile. */
  changes(listing: Listing | undefined, isHolding: boolean): readonly ToolChange[] {
    const { tools, instructions } = this.#known(listing);
    const changes = Object.entries(tools).flatMap(([tool, { change }]) =>
      change ? [changeOf(tool, change, isHolding)] : [],
    );
    if (instructions?.changedAt === undefined) return changes;
    const at = instructions.changedAt;
    const fields = [instructionsName];
    const kind = 'instructions' as const;
    const told = { fields, at, isLessCareful: false, kind, isHeld: isHolding };
    return [...changes, { tool: instructionsName, ...told }];
  }

  /** Both definitions of what changed, for people. */
  diffs(listing: Listing, isHolding: boolean): readonly ToolDiff[] {
    const { tools, instructions } = this.#known(listing);
    const after = new Map(listing.tools.map((tool) => [tool.name, tool]));
    return this.changes(listing, isHolding).map((change) => {
      if (change.kind === 'instructions') {
        const description = listing.instructions ?? '';
        return {
          change,
          before: { description: instructions?.accepted ?? '' },
          after: { description },
        };
      }
      const before = recordOf(tools, change.tool)?.change?.before;
      const tool = after.get(change.tool);
      return { change, ...(before && { before }), ...(tool && { after: definitionOf(tool) }) };
    });
  }

  /** Whether agents, plans and clients may not use the tool. */
  isHeld(tool: string, listing: Listing | undefined): boolean {
    return recordOf(this.#known(listing).tools, tool)?.change?.kind !== undefined;
  }

  /** A tool with its accepted annotations, where newer ones ask for less care. */
  asAccepted(tool: Tool, listing: Listing | undefined): Tool {
    const record = recordOf(this.#known(listing).tools, tool.name);
    if (record?.change?.isLessCareful !== true) return tool;
    return { ...tool, annotations: carefulOf(tool.annotations ?? {}, record.accepted) };
  }

  /** The instructions to show: the accepted ones while a change is held. */
  instructions(listing: Listing, isHolding: boolean): string | undefined {
    const { instructions } = this.#known(listing);
    const isHeld = isHolding && instructions?.changedAt !== undefined;
    return isHeld ? instructions.accepted : listing.instructions;
  }

  /** Records a listing that differs from `before`. */
  compare(listing: Listing, before: Listing | undefined): void {
    const { log, now } = this.#options;
    const isFirst = before === undefined && this.#kept() === undefined;
    const known = this.#known(before);
    const sighting = { tools: listing.tools, previous: before?.tools ?? [], isFirst, at: now() };
    const { records, changed } = rememberTools(known.tools, sighting);
    const instructions = isFirst
      ? pinnedText(listing.instructions)
      : comparedText(known.instructions, listing.instructions, now());
    this.#keep({ tools: records, instructions });
    for (const tool of changed) {
      const { fields = [], isLessCareful } = records[tool]?.change ?? {};
      log.warn('tool definition changed', { tool, fields, isLessCareful });
    }
  }

  /** Accepts what changed of these tools, of all by default; returns it. Throws `fleet.not_found`. */
  accept(
    listing: Listing | undefined,
    names: readonly string[] | undefined,
  ): readonly ToolChange[] {
    const changes = this.changes(listing, false);
    const wrong = names?.find((name) => !changes.some(({ tool }) => tool === name));
    if (wrong !== undefined && recordOf(this.#known(listing).tools, wrong) === undefined) {
      throw new UnknownNameError('tool', wrong);
    }
    const accepted = changes.filter(({ tool }) => !names || names.includes(tool));
    if (accepted.length === 0) return [];
    const { tools, instructions } = this.#known(listing);
    const isText = accepted.some(({ kind }) => kind === 'instructions');
    this.#keep({
      tools: acceptTools(tools, names),
      instructions: isText ? pinnedText(listing?.instructions) : instructions,
    });
    return accepted;
  }

  /** Whether another process changed the records. */
  reread(): boolean {
    const before = this.#records;
    if (before === undefined) return false;
    this.#records = this.#kept() ?? before;
    return JSON.stringify(before) !== JSON.stringify(this.#records);
  }

  /** Derived from the listing where none are cached. */
  #known(listing: Listing | undefined): ServerRecords {
    this.#records ??= this.#kept() ?? this.#derived(listing);
    return this.#records;
  }

  #derived(listing: Listing | undefined): ServerRecords {
    const { tools = [], instructions } = listing ?? {};
    const sighting = { tools, previous: [], isFirst: true, at: this.#options.now() };
    const { records } = rememberTools({}, sighting);
    return { tools: records, ...(listing && { instructions: pinnedText(instructions) }) };
  }

  #kept(): ServerRecords | undefined {
    const { cache, cacheKey, name } = this.#options;
    return cacheKey === undefined ? undefined : cache.readRecords(name, cacheKey);
  }

  #keep({ tools, instructions }: { tools: ToolRecords; instructions: Pinned | undefined }): void {
    const { cache, cacheKey, name } = this.#options;
    this.#records = { tools, ...(instructions && { instructions }) };
    if (cacheKey !== undefined) cache.writeRecords(name, cacheKey, this.#records);
  }
}

type Pinned = NonNullable<ServerRecords['instructions']>;

function pinnedText(text = ''): Pinned {
  return { digest: digestJson(text), accepted: text.slice(0, maxInstructions) };
}

/** Records of earlier versions have no instructions: the current ones are accepted. */
function comparedText(known: Pinned | undefined, text: string | undefined, at: string): Pinned {
  const current = pinnedText(text);
  if (!known || known.digest === current.digest) return current;
  return { digest: known.digest, accepted: known.accepted, changedAt: known.changedAt ?? at };
}

function recordOf(records: ToolRecords, name: string): ToolRecord | undefined {
  return Object.hasOwn(records, name) ? records[name] : undefined;
}

function changeOf(tool: string, change: RecordedChange, isHolding: boolean): ToolChange {
  const { fields, at, isLessCareful, kind = 'changed' } = change;
  const isHeld = isHolding && change.kind !== undefined;
  return { tool, fields, at, isLessCareful, kind, isHeld };
}
