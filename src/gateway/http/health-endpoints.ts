import type { Caller } from '../../contract/caller/index.ts';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { respondJson, type HttpExchange } from '../../http/index.ts';
import { AppError, withTimeLimit, type Clock, type Log } from '../../kernel/index.ts';

const readyLimitMs = 10_000;

export interface HealthParts {
  /** A catalogue can report which servers could not be listed. */
  readonly server: McpServer & Pick<Partial<Catalogue>, 'failures'>;
  readonly version: string;
  /** False without authentication: then details are shown to no caller. */
  readonly isAuthenticated: boolean;
  readonly isDraining: () => boolean;
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

  health(exchange: HttpExchange, sessions: number): void {
    const { version, clock } = this.#parts;
    const uptimeSeconds = Math.floor((clock.now() - this.#startedAt) / 1000);
    answer(exchange, 200, { status: 'ok', version, uptimeSeconds, sessions });
  }

  /** Names of servers and their errors are for authenticated callers; others get counts. */
  async ready(exchange: HttpExchange, caller: Caller | undefined): Promise<void> {
    const { version, isAuthenticated, isDraining } = this.#parts;
    if (isDraining()) {
      answer(exchange, 503, { status: 'draining', version });
      return;
    }
    // Failures name servers that are out of a caller's scope, too.
    const isKnown = isAuthenticated && caller !== undefined && caller.scopes === undefined;
    try {
      const tools = await this.#discover();
      if (tools.length === 0) {
        answer(exchange, 503, { status: 'not_ready', version, reason: 'no server offers a tool' });
        return;
      }
      // Still 200: an orchestrator would restart the instance because of one failed server.
      const failures = this.#parts.server.failures?.() ?? [];
      answer(exchange, 200, {
        status: failures.length === 0 ? 'ready' : 'degraded',
        version,
        tools: tools.length,
        failedServers: failures.length,
        ...(isKnown && failures.length > 0 && { failures }),
      });
    } catch (thrown) {
      const reason = this.#reason(thrown, isKnown);
      answer(exchange, 503, { status: 'not_ready', version, reason });
    }
  }

  #discover(): Promise<readonly Tool[]> {
    const { signal } = new AbortController();
    const limit = { what: 'Tool discovery', limitMs: readyLimitMs, signal };
    return withTimeLimit(limit, () => this.#parts.server.listTools());
  }

  #reason(thrown: unknown, isKnown: boolean): string {
    if (thrown instanceof AppError) return isKnown ? thrown.message : thrown.code;
    this.#parts.log.error('tool discovery failed unexpectedly', { error: thrown });
    return "Tool discovery failed unexpectedly. See the server's log";
  }
}

function answer({ response }: HttpExchange, status: number, body: object): void {
  const headers = { 'cache-control': 'no-store' };
  respondJson(response, { status, text: JSON.stringify(body), headers });
}
