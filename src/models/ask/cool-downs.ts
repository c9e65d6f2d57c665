import type { AppError, Clock } from '../../kernel/index.ts';
import { ModelCallError } from '../errors.ts';

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
