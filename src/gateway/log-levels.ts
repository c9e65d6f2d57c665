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

/** Whether a log message is at least as severe as wanted; one without a known level always is. */
export function isLoud(params: Readonly<Record<string, unknown>>, wanted: string): boolean {
  const level = logLevels.indexOf(String(params['level']));
  return level === -1 || level >= logLevels.indexOf(wanted);
}

/** Who wants which log messages. The server is told the least severe level anybody asked for. */
export class LogWishes {
  readonly #server: McpServer;
  readonly #levels = new Map<object, string>();
  #told: string | undefined;

  constructor(server: McpServer) {
    this.#server = server;
  }

  set(who: object, level: string): void {
    this.#levels.set(who, level);
    this.#tell();
  }

  drop(who: object): void {
    if (this.#levels.delete(who) && this.#levels.size > 0) this.#tell();
  }

  #tell(): void {
    const wanted = [...this.#levels.values()].map((level) => logLevels.indexOf(level));
    const least = logLevels[Math.min(...wanted)];
    if (least === undefined || least === this.#told) return;
    this.#told = least;
    this.#server.setLogLevel?.(least);
  }
}
