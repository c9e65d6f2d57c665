import type { OutputPiece } from '../../contract/sandbox/index.ts';

const headerBytes = 8;
const stderrMark = 2;

/**
 * Takes apart the one stream that carries both of a program's: each frame has a header with the
 * stream's number and the length. Pieces are passed on as they come, however long their frame is.
 */
export function demultiplex(
  onBytes: (stream: OutputPiece['stream'], bytes: Uint8Array) => void,
): (piece: Uint8Array) => void {
  const header = Buffer.alloc(headerBytes);
  let known = 0;
  let left = 0;
  let stream: OutputPiece['stream'] = 'stdout';
  return (piece) => {
    let at = 0;
    while (at < piece.length) {
      if (left > 0) {
        const bytes = piece.subarray(at, at + left);
        onBytes(stream, bytes);
        left -= bytes.length;
        at += bytes.length;
        continue;
      }
      const taken = piece.subarray(at, at + headerBytes - known);
      header.set(taken, known);
      known += taken.length;
      at += taken.length;
      if (known < headerBytes) continue;
      known = 0;
      stream = header[0] === stderrMark ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
    }
  };
}
