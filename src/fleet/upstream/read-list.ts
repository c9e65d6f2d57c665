import type { Prompt } from '../../contract/prompt/index.ts';
import type { Resource, ResourceTemplate } from '../../contract/resource/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { isRecord, type Params } from '../../protocol/index.ts';
import { upstreamLimits } from './upstream-limits.ts';

/** What a server lists, by the name each list has in its results. */
export interface Listed {
  readonly tools: Tool;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
  readonly prompts: Prompt;
}

export type ListName = keyof Listed;

interface ListRules {
  readonly method: string;
  /** The capability without which the server is not asked. */
  readonly capability: string;
  readonly key: string;
  /** Why an entry cannot be used; undefined when it can. */
  readonly objection: (entry: Params) => string | undefined;
}

const none = (): undefined => undefined;

export const listRules: Readonly<Record<ListName, ListRules>> = {
  tools: { method: 'tools/list', capability: 'tools', key: 'name', objection: toolObjection },
  resources: { method: 'resources/list', capability: 'resources', key: 'uri', objection: none },
  resourceTemplates: {
    method: 'resources/templates/list',
    capability: 'resources',
    key: 'uriTemplate',
    objection: none,
  },
  prompts: { method: 'prompts/list', capability: 'prompts', key: 'name', objection: none },
};

function toolObjection(tool: Params): string | undefined {
  const { inputSchema, outputSchema } = tool;
  if (!isRecord(inputSchema)) return 'listed a tool whose input schema is no object';
  if (outputSchema !== undefined && !isRecord(outputSchema)) {
    return 'listed a tool whose output schema is no object';
  }
  const isHuge = JSON.stringify(tool).length > upstreamLimits.maxToolBytes;
  return isHuge ? `listed a tool larger than ${upstreamLimits.maxToolBytes} bytes` : undefined;
}

/** Collects the entries of one listing: only usable ones, each name once, not more than the limit. */
export class ListReader<Name extends ListName> {
  readonly items: Listed[Name][] = [];
  readonly #name: Name;
  readonly #onProblem: (problem: string) => void;
  readonly #keys = new Set<string>();
  #bytes = 0;

  constructor(name: Name, onProblem: (problem: string) => void) {
    this.#name = name;
    this.#onProblem = onProblem;
  }

  /** Takes one page; false when no further page should be asked for. */
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
    const { key, objection } = listRules[this.#name];
    const id = isRecord(entry) ? entry[key] : undefined;
    if (!isRecord(entry) || typeof id !== 'string' || id === '') {
      this.#onProblem(`listed an entry of ${this.#name} without ${key}`);
      return;
    }
    if (id.length > upstreamLimits.maxNameLength) {
      this.#onProblem(`listed an entry of ${this.#name} with a ${key} that is too long`);
      return;
    }
    const problem = objection(entry) ?? (this.#keys.has(id) ? this.#duplicate(key) : undefined);
    if (problem !== undefined) {
      this.#onProblem(problem);
      return;
    }
    this.#keys.add(id);
    const named = typeof entry['name'] === 'string' ? entry : { ...entry, name: id };
    // The members everybody relies on were checked above; the rest is passed on as the server wrote it.
    this.items.push(named as unknown as Listed[Name]);
  }

  #duplicate(key: string): string {
    return `listed the same ${key} twice among its ${this.#name}`;
  }
}
