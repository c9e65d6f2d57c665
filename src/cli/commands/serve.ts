import { withTimeLimit } from '../../kernel/index.ts';
import {
  engineOption,
  faceOption,
  type Invocation,
  onlyOption,
  textOption,
  withSystem,
} from '../invocation.ts';
import { printableWritable } from '../printable.ts';

/** After the drain limit, the listener gets this long to close. */
const closeLimitMs = 10_000;

export async function serveHttp(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  const flags = {
    'server.host': textOption(invocation, 'host'),
    'server.port': textOption(invocation, 'port'),
  };
  const face = faceOption(invocation);
  return withSystem(invocation, { ...onlyOption(invocation), flags, face }, async (system) => {
    const listener = await system.serveHttp();
    const { url, tokenFile } = listener;
    output.result(
      { url, ...(tokenFile !== undefined && { tokenFile }) },
      () => `listening on ${url}`,
    );
    const token = tokenFile === undefined ? '' : ` with the token in ${tokenFile}`;
    output.note(`MCP clients connect to ${url}/mcp${token}; a browser at ${url} shows how.`);
    await Promise.race([untilAborted(io.signal), listener.drained]);
    const what = 'Closing the server';
    const unhurried = new AbortController().signal;
    const limitMs = listener.drainLimitMs + closeLimitMs;
    await withTimeLimit({ what, limitMs, signal: unhurried }, () => listener.close());
    return 0;
  });
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export async function serveMcp(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const face = faceOption(invocation);
  return withSystem(invocation, { ...onlyOption(invocation), face }, async (system) => {
    const { stdin, rawStdout, signal, desk } = io;
    const stdout = rawStdout.isTTY === true ? printableWritable(rawStdout) : rawStdout;
    const opening = desk?.handOver(system.startConditions());
    await system.serveStdio({ stdin, stdout, signal, opening });
    return 0;
  });
}

export async function executeRuns(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  const engine = engineOption(invocation);
  return withSystem(invocation, {}, async (system) => {
    await system.work({
      ...(engine !== undefined && { engine }),
      signal: io.signal,
      onReady: (worker) => {
        output.result(worker, () =>
          worker.url === null
            ? `executing runs on the ${worker.engine} engine`
            : `executing runs on the ${worker.engine} engine, reached at ${worker.url}`,
        );
      },
    });
    return 0;
  });
}
