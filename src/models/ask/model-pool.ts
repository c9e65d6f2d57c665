import type { ModelDescription, ModelRole } from '../../contract/model/index.ts';
import type { ClientPort } from '../../contract/server/index.ts';
import type { AppError, Clock } from '../../kernel/index.ts';
import { ModelCallError } from '../errors.ts';
import type { TextModel } from '../text-model.ts';

/** Which models a role asks. */
export interface RoleModels {
  /** Asked first, in this order: names of models, with or without what stands behind the first `/`. */
  readonly names: readonly string[];
  /** Whether the others are asked after them. */
  readonly withOthers: boolean;
}

export interface PoolOptions {
  /** The models of the settings, in the order in which they are asked. */
  readonly configured: readonly TextModel[];
  readonly roles?: Readonly<Partial<Record<ModelRole, RoleModels>>>;
  /** Looks on this machine for models that fit the role. */
  readonly detect?: (role: ModelRole) => Promise<readonly TextModel[]>;
  /** The model of the program that calls us; null where it has none to offer. */
  readonly clientModel?: (client: ClientPort) => TextModel | null;
}

/** A model and where it comes from. */
export interface PooledModel {
  readonly model: TextModel;
  readonly source: ModelDescription['source'];
}

interface Detection {
  readonly at: number;
  readonly found: Promise<readonly TextModel[]>;
}

interface PoolParts {
  readonly clock: Clock;
  readonly coolDowns: CoolDowns;
  readonly detectionMs: number;
}

/** All models there are, in the order in which a role asks them. */
export class ModelPool {
  readonly #options: PoolOptions;
  readonly #parts: PoolParts;
  readonly #detections = new Map<ModelRole, Detection>();
  /** By name and address: one that is found again is the one that is known, with what it learned of its server. */
  readonly #detected = new Map<string, TextModel>();

  constructor(options: PoolOptions, parts: PoolParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Those that are up, then those that are down, then the client's. Looks around only when it has to. */
  async *inOrder(role: ModelRole, client?: ClientPort): AsyncGenerator<PooledModel> {
    const down: PooledModel[] = [];
    const isUp = ({ model }: PooledModel): boolean =>
      this.#parts.coolDowns.problemOf(model.name) === null;
    const configured = this.#configuredFor(role);
    for (const one of configured) {
      if (isUp(one)) yield one;
      else down.push(one);
    }
    for (const one of await this.#detectedFor(role)) {
      if (isUp(one)) yield one;
      else down.push(one);
    }
    yield* down;
    const model = this.#clientModel(client);
    if (model !== null) yield { model, source: 'client' };
  }

  /** Every model but the clients', whatever its role. */
  async all(): Promise<readonly PooledModel[]> {
    const detected = [...(await this.#detect('code')), ...(await this.#detect('agent'))];
    const byName = new Map(detected.map((model) => [model.name, model]));
    return [
      ...this.#options.configured.map((model) => ({ model, source: 'configured' as const })),
      ...[...byName.values()].map((model) => ({ model, source: 'detected' as const })),
    ];
  }

  /** The models of a role in the order of the settings, whether they are up or not. */
  async ofRole(role: ModelRole): Promise<readonly PooledModel[]> {
    return [...this.#configuredFor(role), ...(await this.#detectedFor(role))];
  }

  /** The names that a role asks and that no model has. */
  async missingNames(role: ModelRole): Promise<readonly string[]> {
    const models = await this.ofRole(role);
    return this.namesFor(role).filter((name) => !models.some(({ model }) => isNamed(model, name)));
  }

  /** The names that a role asks and no others; empty where it may ask any. */
  namesFor(role: ModelRole): readonly string[] {
    const chosenNames = this.#options.roles?.[role];
    return chosenNames === undefined || chosenNames.withOthers ? [] : chosenNames.names;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#detections.values()].map(({ found }) => found));
    const models = new Set([...this.#options.configured, ...this.#detected.values()]);
    await Promise.allSettled([...models].map((model) => model.close()));
  }

  #configuredFor(role: ModelRole): readonly PooledModel[] {
    return chosen(this.#options.configured, this.#options.roles?.[role]).map((model) => ({
      model,
      source: 'configured',
    }));
  }

  async #detectedFor(role: ModelRole): Promise<readonly PooledModel[]> {
    return chosen(await this.#detect(role), this.#options.roles?.[role]).map((model) => ({
      model,
      source: 'detected',
    }));
  }

  async #detect(role: ModelRole): Promise<readonly TextModel[]> {
    const found = await this.#detection(role).found;
    const known = new Set(this.#options.configured.map(({ url }) => originOf(url)));
    return found.filter(({ url }) => url === null || !known.has(originOf(url)));
  }

  #detection(role: ModelRole): Detection {
    const now = this.#parts.clock.now();
    const last = this.#detections.get(role);
    if (last !== undefined && now - last.at <= this.#parts.detectionMs) return last;
    const looking = this.#options.detect?.(role) ?? Promise.resolve([]);
    // Not to find any is no reason not to ask the others.
    const found = looking.then((models) => models.map((one) => this.#known(one))).catch(() => []);
    const detection = { at: now, found };
    this.#detections.set(role, detection);
    return detection;
  }

  #known(found: TextModel): TextModel {
    const key = JSON.stringify([found.name, found.url]);
    const known = this.#detected.get(key) ?? found;
    this.#detected.set(key, known);
    return known;
  }

  #clientModel(client: ClientPort | undefined): TextModel | null {
    if (client === undefined || client.capabilities['sampling'] === undefined) return null;
    return this.#options.clientModel?.(client) ?? null;
  }
}

function chosen(
  models: readonly TextModel[],
  { names, withOthers }: RoleModels = { names: [], withOthers: true },
): readonly TextModel[] {
  const first = names.flatMap((name) => models.filter((model) => isNamed(model, name)));
  const others = withOthers ? models.filter((model) => !first.includes(model)) : [];
  return [...new Set([...first, ...others])];
}

function isNamed({ name }: TextModel, wanted: string): boolean {
  return name === wanted || name.startsWith(`${wanted}/`);
}

/** A server that the settings name is not found once more, whatever they call this machine. */
function originOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]';
  return `${protocol}//${isHere ? '127.0.0.1' : hostname}:${port}`;
}

/** Remembers which models are down, so that not every call finds it out anew. */
export class CoolDowns {
  readonly #clock: Clock;
  readonly #coolDownMs: number;
  readonly #downUntil = new Map<string, { readonly until: number; readonly problem: string }>();

  constructor(clock: Clock, coolDownMs: number) {
    this.#clock = clock;
    this.#coolDownMs = coolDownMs;
  }

  /** Why the model is not asked first; null when it may be. */
  problemOf(model: string): string | null {
    const down = this.#downUntil.get(model);
    return down !== undefined && down.until > this.#clock.now() ? down.problem : null;
  }

  /** A model that named its own time is left alone for that, but not for longer than usual. */
  failed(model: string, error: AppError): void {
    const { isDown, retryAfterMs } =
      error instanceof ModelCallError ? error : { isDown: true, retryAfterMs: null };
    if (!isDown) return;
    const waitMs = Math.min(retryAfterMs ?? this.#coolDownMs, this.#coolDownMs);
    this.#downUntil.set(model, { until: this.#clock.now() + waitMs, problem: error.message });
  }

  answered(model: string): void {
    this.#downUntil.delete(model);
  }
}
