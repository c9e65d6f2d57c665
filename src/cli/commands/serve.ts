import { withTimeLimit } from '../../kernel/index.ts';
import { faceOption } from '../face-option.ts';
import { onlyOption, textOption, withSystem, type Invocation } from '../invocation.ts';
import { untilAborted } from '../until-aborted.ts';

/** Calls that still run when the server is stopped get this long to finish. */
const closeLimitMs = 10_000;

export async function run(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  const flags = {
    'server.host': textOption(invocation, 'host'),
    'server.port': textOption(invocation, 'port'),
  };
  const face = faceOption(invocation);
  return withSystem(invocation, { ...onlyOption(invocation), flags, face }, async (system) => {
    const listener = await system.serveHttp({});
    const { url, tokenFile } = listener;
    output.result(
      { url, ...(tokenFile !== undefined && { tokenFile }) },
      () => `listening on ${url}`,
    );
    const token = tokenFile === undefined ? '' : ` with the token in ${tokenFile}`;
    output.note(`MCP clients connect to ${url}/mcp${token}; a browser at ${url} shows how.`);
    await untilAborted(io.signal);
    const what = 'Closing the server';
    const unhurried = new AbortController().signal;
    await withTimeLimit({ what, limitMs: closeLimitMs, signal: unhurried }, () => listener.close());
    return 0;
  });
}
