import type { OutputPiece } from '../../../contract/sandbox/index.ts';

/** A line that is longer is shown in parts. */
const maxLineBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Passes on standard output as `show` tells it, in whole lines; standard error as it comes. */
export function showWholeLines(
  show: (stdout: Uint8Array) => string,
  pass: (piece: OutputPiece) => void,
): (piece: OutputPiece) => void {
  let held: Uint8Array = new Uint8Array();
  return (piece) => {
    if (piece.stream === 'stderr') {
      pass(piece);
      return;
    }
    const known = Buffer.concat([held, piece.bytes]);
    const end = known.length > maxLineBytes ? known.length : known.lastIndexOf(lineFeed) + 1;
    held = known.subarray(end);
    if (end > 0) pass({ ...piece, bytes: Buffer.from(show(known.subarray(0, end))) });
  };
}
