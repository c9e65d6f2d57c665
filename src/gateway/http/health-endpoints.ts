import { AppError, withTimeLimit, type Clock, type Log } from '../../kernel/index.ts';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import type { HttpCall } from './http-parts.ts';
import { respondJson } from './respond.ts';

const readyLimitMs = 10_000;

export interface HealthParts {
  /** One that stands for several can say which of them could not be listed. */
  readonly server: McpServer & Pick<Partial<Catalogue>, 'failures'>;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** `/health`: the process answers. `/ready`: it can also find its tools. */
export class HealthEndpoints {
  readonly #parts: HealthParts;
  readonly #startedAt: number;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
  }

  health(call: HttpCall, sessions: number): void {
    const { version, clock } = this.#parts;
    const uptimeSeconds = Math.floor((clock.now() - this.#startedAt) / 1000);
    answer(call, 200, { status: 'ok', version, uptimeSeconds, sessions });
  }

  async ready(call: HttpCall): Promise<void> {
    const { version } = this.#parts;
    try {
      const tools = await this.#discover();
      if (tools.length === 0) {
        answer(call, 503, { status: 'not_ready', version, reason: 'no server offers a tool' });
        return;
      }
      // Who asks would take the whole machine out of service for one server of many.
      const failures = this.#parts.server.failures?.() ?? [];
      const state = failures.length === 0 ? { status: 'ready' } : { status: 'degraded', failures };
      answer(call, 200, { ...state, version, tools: tools.length });
    } catch (thrown) {
      answer(call, 503, { status: 'not_ready', version, reason: this.#reason(thrown) });
    }
  }

  #discover(): Promise<readonly Tool[]> {
    const { signal } = new AbortController();
    const limit = { what: 'Tool discovery', limitMs: readyLimitMs, signal };
    return withTimeLimit(limit, () => this.#parts.server.listTools());
  }

  #reason(thrown: unknown): string {
    if (thrown instanceof AppError) return thrown.message;
    this.#parts.log.error('tool discovery failed unexpectedly', { error: thrown });
    return 'Tool discovery failed unexpectedly. The log of the server says why';
  }
}

function answer({ response }: HttpCall, status: number, body: object): void {
  const headers = { 'cache-control': 'no-store' };
  respondJson(response, { status, text: JSON.stringify(body), headers });
}
