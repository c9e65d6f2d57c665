import type {
  AgentDefinition,
  AgentProblem,
  AgentState,
  ShownAgent,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { digestJson } from '../../kernel/index.ts';
import { type AgentChecks, checkAgent, type CheckedAgent } from '../definition/check-agent.ts';
import { type AgentFile, readAgentFile } from '../definition/read-agent-file.ts';
import type { AgentTally, DelegationStore } from '../delegate/delegation-store.ts';
import { UnknownAgentError } from '../errors.ts';

export interface RegistryParts {
  /** All files of agents as they are now, the shipped ones first; `notes` says which were left out and why. */
  readonly files: () => Promise<{
    readonly files: readonly AgentFile[];
    readonly notes: readonly string[];
  }>;
  readonly checks: AgentChecks;
  readonly findTool: (name: string) => Promise<Tool | undefined>;
  readonly store: Pick<DelegationStore, 'tally' | 'disabled' | 'setDisabled'>;
  /** The version of an agent that does the tasks; undefined: the highest one. */
  readonly currentVersions: (caller: Caller) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** A version that may be asked; `reason` says why it cannot work now. */
export interface ReadyAgent extends CheckedAgent {
  readonly health: number;
  readonly load: number;
  /** None of its tools changes anything. */
  readonly isReading: boolean;
}

/** One at work counts as a tenth of what an agent can take. */
const maxRunning = 10;
const goodHealth = 0.2;

/**
 * All agents there are: register (read) → probe (compare with the tools there are) → ready → draining (switched off, at
 * work) → retired. A wrong file never hides another. Files and tools are compared anew when one of them changes.
 */
export class Registry {
  readonly #parts: RegistryParts;
  readonly #running = new Map<string, number>();
  #known: { readonly digest: string; readonly loaded: Promise<Loaded> } | undefined;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  async list(caller: Caller): Promise<{
    readonly agents: readonly ShownAgent[];
    readonly problems: readonly AgentProblem[];
    readonly notes: readonly string[];
  }> {
    const { agents, problems, notes } = await this.#load();
    const about = await this.#about(caller);
    return { agents: agents.map((one) => this.#show(one, about)), problems, notes };
  }

  async show(
    caller: Caller,
    name: string,
    version?: string,
  ): Promise<ShownAgent & { readonly definition: AgentDefinition }> {
    const found = await this.#pick(caller, name, version);
    return { ...this.#show(found, await this.#about(caller)), definition: found.agent };
  }

  async definitions(): Promise<readonly AgentDefinition[]> {
    const { agents } = await this.#load();
    return agents.map(({ agent }) => agent);
  }

  async has(name: string, version: string): Promise<boolean> {
    const { agents } = await this.#load();
    return agents.some(({ agent }) => agent.name === name && agent.version === version);
  }

  /** The named version, else the one that does the tasks. Throws `agents.unknown_agent`. */
  async find(caller: Caller, name: string, version?: string): Promise<ReadyAgent> {
    return this.#ready(await this.#pick(caller, name, version), await this.#about(caller));
  }

  /** The version that does the tasks, with the one it is compared with. Throws `agents.unknown_agent`. */
  async withName(caller: Caller, name: string): Promise<readonly ReadyAgent[]> {
    const first = await this.#pick(caller, name);
    const { agents } = await this.#load();
    const about = await this.#about(caller);
    const versions = agents.filter(({ agent }) => agent.name === first.agent.name);
    return Promise.all(this.#versionsOf(versions, about).map((one) => this.#ready(one, about)));
  }

  /** Those that are on and have the capability, a version each, or two where they are compared. */
  async withCapability(caller: Caller, capability: string): Promise<readonly ReadyAgent[]> {
    const { agents } = await this.#load();
    const about = await this.#about(caller);
    const names = [...new Set(agents.map(({ agent }) => agent.name))];
    const chosen = names.flatMap((name) =>
      this.#versionsOf(
        agents.filter(({ agent }) => agent.name === name),
        about,
      ),
    );
    const able = chosen.filter(({ agent }) => agent.capabilities.includes(capability));
    return Promise.all(
      able.filter(({ agent }) => !isOff(agent, about)).map((one) => this.#ready(one, about)),
    );
  }

  /** One more at work until the returned function is called. */
  begin({ name, version }: AgentDefinition): () => void {
    const id = `${name}@${version}`;
    this.#running.set(id, this.#runningOf(id) + 1);
    return () => void this.#running.set(id, this.#runningOf(id) - 1);
  }

  async setEnabled(
    caller: Caller,
    name: string,
    { isEnabled, version }: { readonly isEnabled: boolean; readonly version?: string },
  ): Promise<void> {
    await this.#pick(caller, name, version);
    const id = version === undefined ? name : `${name}@${version}`;
    await this.#parts.store.setDisabled(caller.id, id, !isEnabled);
  }

  #runningOf(id: string): number {
    return this.#running.get(id) ?? 0;
  }

  async #pick(caller: Caller, name: string, version?: string): Promise<CheckedAgent> {
    const { agents } = await this.#load();
    const about = await this.#about(caller);
    const named = agents.filter(({ agent }) => agent.name === name);
    const found =
      version === undefined
        ? this.#versionsOf(named, about)[0]
        : named.find(({ agent }) => agent.version === version);
    if (found) return found;
    const known = agents.map(({ agent }) =>
      version === undefined ? agent.name : `${agent.name}@${agent.version}`,
    );
    throw new UnknownAgentError(version === undefined ? name : `${name}@${version}`, [
      ...new Set(known),
    ]);
  }

  /** What can work comes before what is off or unavailable, then the promoted version, then the highest one. */
  #versionsOf(versions: readonly CheckedAgent[], about: About): readonly CheckedAgent[] {
    const [first] = versions;
    const wanted = (first && about.current.get(first.agent.name)) ?? [];
    const picked = wanted.flatMap(
      (version) =>
        versions.find(
          ({ agent, reason }) =>
            agent.version === version && reason === null && !isOff(agent, about),
        ) ?? [],
    );
    if (picked.length > 0) return picked;
    const [best] = versions.toSorted(
      (a, b) =>
        Number(isOff(a.agent, about)) - Number(isOff(b.agent, about)) ||
        Number(a.reason !== null) - Number(b.reason !== null) ||
        compareVersions(b.agent.version, a.agent.version),
    );
    return best ? [best] : [];
  }

  async #about(caller: Caller): Promise<About> {
    const { store, currentVersions } = this.#parts;
    const [tally, disabled, current] = await Promise.all([
      store.tally(caller.id),
      store.disabled(caller.id),
      currentVersions(caller),
    ]);
    return { tally, disabled: new Set(disabled), current };
  }

  async #ready(checked: CheckedAgent, about: About): Promise<ReadyAgent> {
    const { agent, tools } = checked;
    const found = await Promise.all(tools.map((tool) => this.#parts.findTool(tool)));
    const reason = isOff(agent, about)
      ? 'it is switched off ("tutti agents enable")'
      : checked.reason;
    return {
      ...checked,
      reason,
      health: healthOf(checked, about),
      load: Math.min(1, this.#runningOf(`${agent.name}@${agent.version}`) / maxRunning),
      isReading: found.every((tool) => tool?.annotations?.readOnlyHint === true),
    };
  }

  #show(checked: CheckedAgent, about: About): ShownAgent {
    const { agent, tools, reason } = checked;
    const { name, version, description, capabilities, source } = agent;
    const running = this.#runningOf(`${name}@${version}`);
    const { done = 0, failed = 0 } = tallyOf(agent, about) ?? {};
    return {
      name,
      version,
      description,
      capabilities,
      source,
      running,
      without_model: Object.keys(agent.procedures),
      state: stateOf({ isOff: isOff(agent, about), running, isBroken: reason !== null }),
      reason: isOff(agent, about) ? 'switched off' : reason,
      tools: [...tools],
      health: healthOf(checked, about),
      tasks: { done, failed },
    };
  }

  async #load(): Promise<Loaded> {
    const { files, checks } = this.#parts;
    const [found, tools, servers] = await Promise.all([files(), checks.tools(), checks.servers()]);
    const digest = digestJson([
      found.files.map(({ path, text }) => [path, text]),
      tools,
      servers,
      found.notes,
    ] as Parameters<typeof digestJson>[0]);
    if (this.#known?.digest === digest) return this.#known.loaded;
    const loaded = loadAll(found.files, { checks, known: { tools, servers } }).then((all) => ({
      ...all,
      notes: found.notes,
    }));
    this.#known = { digest, loaded };
    loaded.catch(() => (this.#known = undefined));
    return loaded;
  }
}

interface Loaded {
  readonly agents: readonly CheckedAgent[];
  readonly problems: readonly AgentProblem[];
  readonly notes: readonly string[];
}

interface About {
  readonly tally: readonly AgentTally[];
  readonly disabled: ReadonlySet<string>;
  readonly current: ReadonlyMap<string, readonly string[]>;
}

interface LoadContext {
  readonly checks: AgentChecks;
  readonly known: { readonly tools: readonly string[]; readonly servers: readonly string[] };
}

/** Every file by itself: what is wrong with one is a problem of that one. */
export async function loadAll(
  files: readonly AgentFile[],
  { checks, known }: LoadContext,
): Promise<Omit<Loaded, 'notes'>> {
  const agents = new Map<string, CheckedAgent>();
  const problems: AgentProblem[] = [];
  for (const file of files) {
    const read = readAgentFile(file);
    if (read.kind === 'malformed') {
      problems.push(...read.problems);
      continue;
    }
    const { agent, lineOf } = read;
    const id = `${agent.name}@${agent.version}`;
    const other = agents.get(id);
    if (other) {
      const message = `There is a ${id} already (${other.agent.file}): give this one another version or name`;
      problems.push({ file: agent.file, line: lineOf(['version']), message });
      continue;
    }
    const { checked, problems: wrong } = await checkAgent({ agent, lineOf, known, checks });
    problems.push(...wrong);
    if (checked) agents.set(id, checked);
  }
  return { agents: [...agents.values()], problems };
}

function isOff({ name, version }: AgentDefinition, { disabled }: About): boolean {
  return disabled.has(name) || disabled.has(`${name}@${version}`);
}

function tallyOf({ name, version }: AgentDefinition, { tally }: About): AgentTally | undefined {
  return tally.find((one) => one.agent === name && one.version === version);
}

/** 0 where it cannot work; else how its last tasks ended, never so low that it gets none again. */
function healthOf({ agent, reason }: CheckedAgent, about: About): number {
  if (reason !== null || isOff(agent, about)) return 0;
  const recent = tallyOf(agent, about)?.recent ?? 1;
  return goodHealth + (1 - goodHealth) * recent;
}

function stateOf({
  isOff: off,
  running,
  isBroken,
}: {
  isOff: boolean;
  running: number;
  isBroken: boolean;
}): AgentState {
  if (off) return running > 0 ? 'draining' : 'retired';
  return isBroken ? 'unavailable' : 'ready';
}

/** As semver orders them: numbers first, and a pre-release before its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [split(one), split(other)];
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.label === b.label) return 0;
  if (a.label === '') return 1;
  return b.label === '' ? -1 : a.label.localeCompare(b.label, 'en', { numeric: true });
}

function split(version: string): { readonly numbers: readonly number[]; readonly label: string } {
  const [core = '', label = ''] = version.split(/-(.*)/s);
  return { numbers: core.split('.').map(Number), label };
}
