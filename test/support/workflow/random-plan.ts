import type { Json } from '../../../src/contract/plan/index.ts';

type Draft = Record<string, Json>;

/** What kind of value the output of a step is. */
type Kind = 'result' | 'list' | 'record' | 'other';

/**
 * A plan with random edges whose order in the plan says nothing about them, with all that steps can be.
 * `mayStop`: some failures end the run. `mayTimeOut`: what it comes to depends on how fast it is.
 */
export function randomPlan(random: () => number, options: PlanOptions): Draft {
  return new PlanWriter(random, options).write(options.size, 0);
}

interface PlanOptions {
  size: number;
  mayStop: boolean;
  mayTimeOut: boolean;
}

/** The signals random plans wait for, and when they come. */
export const comingSignals = Object.fromEntries(
  Array.from({ length: 4 }, (_, index) => [
    `signal-${index}`,
    { payload: { from: index }, atMs: 700_003 * (index + 1) },
  ]),
);

class PlanWriter {
  readonly #random: () => number;
  readonly #mayStop: boolean;
  readonly #mayTimeOut: boolean;

  constructor(random: () => number, { mayStop, mayTimeOut }: PlanOptions) {
    this.#random = random;
    this.#mayStop = mayStop;
    this.#mayTimeOut = mayTimeOut;
  }

  write(size: number, depth: number): Draft {
    const known: { id: string; kind: Kind }[] = [];
    const steps: Draft[] = [];
    for (let index = 0; index < size; index += 1) {
      const id = `s${index}`;
      const needs = known.filter(() => this.#chance(Math.min(0.6, 3 / (known.length + 1))));
      const { step, kind } = this.#step(id, needs, depth);
      if (this.#chance(0.2)) step['when'] = this.#condition(known);
      steps.push(step);
      known.push({ id, kind });
    }
    for (let at = steps.length - 1; at > 0; at -= 1) {
      const other = this.#below(at + 1);
      [steps[at], steps[other]] = [steps[other]!, steps[at]!];
    }
    const output = known.map(({ id, kind }) => this.#reference(id, kind));
    return {
      version: 1,
      ...(depth > 0 ? { input: { from: {} } } : {}),
      steps,
      ...(depth > 0 || this.#chance(0.5) ? { output: { out: output } } : {}),
    };
  }

  #step(
    id: string,
    needs: { id: string; kind: Kind }[],
    depth: number,
  ): { step: Draft; kind: Kind } {
    const from: Json = needs.map((need) => this.#reference(need.id, need.kind));
    if (depth > 0 && this.#chance(0.5)) from.push('${input.from}');
    const roll = this.#random();
    const results = needs.filter(({ kind }) => kind === 'result');
    const list = results[0] && this.#chance(0.8) ? `\${${results[0].id}.list}` : this.#list();
    const fanOut: Draft = {
      forEach: list,
      ...(this.#chance(0.5) ? { concurrency: 1 + this.#below(3) } : {}),
    };
    if (roll < 0.15) {
      const step = this.#call(id, [from, '${item}', '${index}']);
      return { step: { ...step, ...fanOut }, kind: 'list' };
    }
    if (roll < 0.25 && depth < 2) {
      const plan = this.write(1 + this.#below(5), depth + 1);
      const step = { id, plan, input: { from }, ...this.#onFailure() };
      return { step, kind: 'record' };
    }
    if (roll < 0.3 && depth < 2) {
      const plan = this.write(1 + this.#below(3), depth + 1);
      const step = {
        id,
        plan,
        input: { from: [from, '${item}'] },
        ...fanOut,
        ...this.#onFailure(),
      };
      return { step, kind: 'list' };
    }
    if (roll < 0.35) return { step: { id, sleep: this.#ms() }, kind: 'other' };
    if (roll < 0.38 && depth === 0) return { step: this.#wait(id), kind: 'other' };
    if (roll < 0.4) return { step: { id, approval: true, ...this.#onFailure() }, kind: 'other' };
    const step = this.#call(id, from);
    const isAsked = step['onFailure'] !== 'repair' && this.#chance(0.06);
    return { step: isAsked ? { ...step, approval: true } : step, kind: 'result' };
  }

  #call(id: string, from: Json): Draft {
    const args: Draft = { ms: this.#ms(), from };
    const step: Draft = { id, tool: 'test.work', args, ...this.#onFailure() };
    const roll = this.#random();
    if (roll < 0.12) {
      args['fails'] = 1 + this.#below(3);
      step['retry'] = {
        attempts: 2 + this.#below(3),
        backoffMs: this.#below(3) * this.#ms(),
        factor: 1 + this.#below(3),
        maxBackoffMs: 900_000,
        jitter: 0,
      };
    } else if (roll < 0.16) args['fails'] = 99;
    else if (roll < 0.2) args['unknown'] = this.#chance(0.5) ? 'happened' : 'not-happened';
    else if (roll < 0.24) {
      args['fails'] = 99;
      args['repair'] = this.#mayStop && this.#chance(0.3) ? null : this.#ms();
      step['onFailure'] = 'repair';
    }
    return step;
  }

  #wait(id: string): Draft {
    const signal = `signal-${this.#below(4)}`;
    const isLimited = this.#mayTimeOut && this.#chance(0.5);
    const wait = isLimited ? { signal, timeoutMs: 1 + this.#ms() } : signal;
    return { id, wait, onFailure: 'skip' };
  }

  #onFailure(): Draft {
    return this.#mayStop && this.#chance(0.5) ? {} : { onFailure: 'skip' };
  }

  #reference(id: string, kind: Kind): string {
    if (kind === 'result')
      return this.#chance(0.7) ? `\${${id}.v}` : `text \${${id}.v} and \${${id}.list}`;
    return kind === 'record' && this.#chance(0.5) ? `\${${id}.out}` : `\${${id}}`;
  }

  #condition(known: { id: string; kind: Kind }[]): Json {
    if (known.length === 0) return this.#chance(0.8);
    const parts = Array.from({ length: 1 + this.#below(2) }, () => {
      const { id, kind } = known[this.#below(known.length)]!;
      if (kind !== 'result' || this.#chance(0.3)) {
        return `${this.#chance(0.3) ? '!' : ''}exists(\${${id}})`;
      }
      return `\${${id}.v} ${['>', '<', '!=', '=='][this.#below(4)]} ${this.#below(1000)}`;
    });
    return parts.join(this.#chance(0.5) ? ' && ' : ' || ');
  }

  #list(): Json {
    return Array.from({ length: this.#below(5) }, () => this.#below(1000));
  }

  /** Long and odd, so that no two things end at the same time by chance. */
  #ms(): number {
    return 1 + this.#below(1_000_000);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
