import type { Prompt } from '../../contract/prompt/index.ts';
import type { Resource, ResourceTemplate } from '../../contract/resource/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { isRecord, type Params } from '../../protocol/index.ts';
import { listedShapes } from './listed-shapes.ts';
import { repairMembers } from './repair-members.ts';
import { schemaHazard } from './schema-hazard.ts';
import { SlowPatterns } from './slow-patterns.ts';
import { upstreamLimits } from './upstream-limits.ts';

/** The entry type of each list, by the list's name in results. */
export interface Listed {
  readonly tools: Tool;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
  readonly prompts: Prompt;
}

export type ListName = keyof Listed;

interface ListRules {
  readonly method: string;
  /** The capability that must be declared for the list to be requested. */
  readonly capability: string;
  /** The member that identifies an entry. */
  readonly key: string;
  /** The noun for an entry in reports. */
  readonly noun: string;
}

export const listRules: Readonly<Record<ListName, ListRules>> = {
  tools: { method: 'tools/list', capability: 'tools', key: 'name', noun: 'tool' },
  resources: { method: 'resources/list', capability: 'resources', key: 'uri', noun: 'resource' },
  resourceTemplates: {
    method: 'resources/templates/list',
    capability: 'resources',
    key: 'uriTemplate',
    noun: 'resource template',
  },
  prompts: { method: 'prompts/list', capability: 'prompts', key: 'name', noun: 'prompt' },
};

/**
 * Collects the entries of one list, without duplicates and within the limit. Strict clients reject a whole list
 * for one invalid entry, so invalid members are corrected or removed, and unusable entries are left out; both
 * count as problems of the server.
 */
export class ListReader<Name extends ListName> {
  readonly items: Listed[Name][] = [];
  readonly #name: Name;
  readonly #onProblem: (problem: string) => void;
  readonly #keys = new Set<string>();
  readonly #slowPatterns = new SlowPatterns();
  #bytes = 0;
  #leftOut = 0;

  constructor(name: Name, onProblem: (problem: string) => void) {
    this.#name = name;
    this.#onProblem = onProblem;
  }

  /** Adds one page; false when no further page should be requested. */
  take(result: Params, bytes: number): boolean {
    const entries = result[this.#name];
    if (!Array.isArray(entries)) {
      this.#onProblem(`answered ${listRules[this.#name].method} without a list`);
      return false;
    }
    this.#bytes += bytes;
    for (const entry of entries) {
      if (this.items.length >= upstreamLimits.maxListItems) {
        this.#onProblem(`listed more than ${upstreamLimits.maxListItems} ${this.#name}`);
        return false;
      }
      this.#takeEntry(entry);
    }
    if (this.#bytes <= upstreamLimits.maxListBytes) return true;
    this.#onProblem(`listed more than ${upstreamLimits.maxListBytes} bytes of ${this.#name}`);
    return false;
  }

  #takeEntry(entry: unknown): void {
    const { key, noun } = listRules[this.#name];
    const id = isRecord(entry) ? entry[key] : undefined;
    if (!isRecord(entry) || typeof id !== 'string' || id === '') {
      this.#onProblem(`listed an entry of ${this.#name} without ${key}`);
      return;
    }
    const repaired = this.#repair(entry, id);
    const objection = this.#objectionTo(repaired, id);
    if (objection !== undefined) {
      this.#leftOut += 1;
      const which = this.#leftOut > maxNamed ? `another ${noun}` : `${noun} ${shownName(id)}`;
      this.#onProblem(`listed ${which}, which is left out: ${objection}`);
      return;
    }
    this.#keys.add(id);
    // Required members were checked above; the rest is passed on unchanged.
    this.items.push(repaired as unknown as Listed[Name]);
  }

  #repair(entry: Params, id: string): Params {
    const { noun } = listRules[this.#name];
    const isTool = this.#name === 'tools';
    // Absent members are not checked, but a tool needs a schema.
    const whole = isTool && !('inputSchema' in entry) ? { ...entry, inputSchema: null } : entry;
    const quick = isTool ? this.#slowPatterns.removeFrom(whole) : whole;
    if (quick !== whole) {
      const problem = 'with a pattern that takes too long to match, which is left out';
      this.#onProblem(`listed ${noun} ${shownName(id)} ${problem}`);
    }
    const repaired = repairMembers(quick, listedShapes[this.#name], (member) => {
      this.#onProblem(`listed a ${noun} with a wrong ${member}, which is corrected or left out`);
    });
    return typeof repaired['name'] === 'string' ? repaired : { ...repaired, name: id };
  }

  /** Why an entry is unusable; undefined when it is usable. */
  #objectionTo(entry: Params, id: string): string | undefined {
    const { maxNameLength, maxToolBytes } = upstreamLimits;
    const { key } = listRules[this.#name];
    if (id.length > maxNameLength) return `its ${key} is too long`;
    if (this.#keys.has(id)) return `another has the same ${key}`;
    if (this.#name === 'resources' && !URL.canParse(id)) return 'its uri is none';
    if (this.#name !== 'tools') return undefined;
    if (entry['inputSchema'] === undefined) return 'its input schema is not that of an object';
    const isHuge = JSON.stringify(entry).length > maxToolBytes;
    return isHuge ? `it is larger than ${maxToolBytes} bytes` : schemaHazard(entry['inputSchema']);
  }
}

/** Unusable entries named per list, so that the report has space for other problems. */
const maxNamed = 20;
const maxShownLength = 80;

/** A name for a report: truncated, on one line. */
function shownName(name: string): string {
  const shown = name.length > maxShownLength ? `${name.slice(0, maxShownLength)}…` : name;
  return JSON.stringify(shown);
}
