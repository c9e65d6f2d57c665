import type { CollectRequest } from '../../contract/sandbox/index.ts';
import { workFolder } from '../boot/boot.ts';
import type { Collected } from '../collect/collect-files.ts';
import { readTar } from '../collect/read-tar.ts';
import { ContainerExec } from './container-exec.ts';
import { programUser } from './container-spec.ts';
import type { DockerApi } from './docker-api.ts';

/** How long looking and packing may take. */
const limitMs = 30_000;
/** Names and paddings of an archive, besides the content of its files. */
const archiveOverheadBytes = 16 * 1024 * 1024;
const maxToldCharacters = 100;

export interface SeenInside {
  readonly isDiskFull: boolean;
  readonly collected: Collected;
}

/**
 * Looks at the work folder by a program in the container, for where it cannot be reached from outside.
 * What the program left running is killed first. Files are packed when `request` asks for some.
 */
export async function examineFromInside(
  api: DockerApi,
  containerId: string,
  request: CollectRequest | null,
): Promise<SeenInside> {
  const paths = request === null || request.paths.length === 0 ? ['.'] : request.paths;
  const pack = request === null ? '' : 'exec tar -cf - -- "$@" 2>/dev/null';
  const script = `kill -KILL -1 2>/dev/null; stat -f -c '%f %d' . >&2; ${pack}`;
  const pieces: Uint8Array[] = [];
  let bytesLeft = (request?.maxBytes ?? 0) + archiveOverheadBytes;
  let told = '';
  const { promise: full, resolve: onFull } = Promise.withResolvers<void>();
  const spec = {
    containerId,
    command: ['sh', '-c', script, 'sh', ...paths.map((path) => `./${path}`)],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    user: programUser,
    folder: workFolder,
  };
  const exec = await ContainerExec.start(api, spec, (stream, bytes) => {
    if (stream === 'stderr')
      told = (told + Buffer.from(bytes).toString()).slice(0, maxToldCharacters);
    else if (bytesLeft > 0) pieces.push(bytes);
    bytesLeft -= bytes.length;
    if (bytesLeft <= 0) onFull();
  });
  exec.send([]);
  await Promise.race([exec.drained(limitMs), full]);
  exec.close();
  const free = /^(\d+) (\d+)/.exec(told);
  return {
    isDiskFull: free !== null && (free[1] === '0' || free[2] === '0'),
    collected:
      request === null ? { files: [], observations: [] } : readTar(Buffer.concat(pieces), request),
  };
}
