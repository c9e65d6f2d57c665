import type { McpServer } from '../contract/server/index.ts';

/** Least severe first. */
export const logLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export const logMethod = 'notifications/message';

/** Whether a log message is at least as severe as `wanted`; true for unknown levels. */
export function isSevereEnough(params: Readonly<Record<string, unknown>>, wanted: string): boolean {
  const level = logLevels.indexOf(String(params['level']));
  return level === -1 || level >= logLevels.indexOf(wanted);
}

/** The log levels that clients requested. The server gets the least severe of them. */
export class RequestedLogLevels {
  readonly #server: McpServer;
  readonly #levels = new Map<object, string>();
  #current: string | undefined;

  constructor(server: McpServer) {
    this.#server = server;
  }

  set(client: object, level: string): void {
    this.#levels.set(client, level);
    this.#apply();
  }

  drop(client: object): void {
    if (this.#levels.delete(client) && this.#levels.size > 0) this.#apply();
  }

  #apply(): void {
    const wanted = [...this.#levels.values()].map((level) => logLevels.indexOf(level));
    const least = logLevels[Math.min(...wanted)];
    if (least === undefined || least === this.#current) return;
    this.#current = least;
    this.#server.setLogLevel?.(least);
  }
}
