import type { RunView, StepStatus } from '../../../contract/run/index.ts';
import type { Clock } from '../../../kernel/index.ts';
import type { TextStream } from '../../io.ts';
import type { Paint } from '../../output.ts';
import { ownEscape, singleLine } from '../../printable.ts';
import { drawTree, durationText } from './run-tree.ts';

const redrawMs = 100;
const maxTreeLines = 20;
/** In a pipe, somebody reads the lines afterwards; more than these nobody does. */
const maxLines = 1_000;

/** Shows how a run goes while it does: a tree that changes at a terminal, else a line per change. */
export interface LiveTree {
  update(view: RunView): void;
  /** Leaves the last state on the screen; what is written next stands below it. */
  finish(): void;
}

export interface LiveTreeParts {
  readonly stream: TextStream;
  /** The run was there before: lines are about what is new. */
  readonly isKnown: boolean;
  readonly paint: Paint;
  readonly clock: Clock;
}

export function createLiveTree(parts: LiveTreeParts): LiveTree {
  return parts.stream.isTTY === true ? createDrawnTree(parts) : createLines(parts);
}

function createDrawnTree({ stream, paint, clock }: LiveTreeParts): LiveTree {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let drawnLines = 0;
  let last: RunView | undefined;
  const draw = (view: RunView): void => {
    const nowMs = clock.now();
    drawnAtMs = nowMs;
    const columns = columnsOf(stream) - 1;
    const lines = drawTree(view, { paint, nowMs, maxLines: linesOf(stream), columns });
    const up = drawnLines === 0 ? '' : `${ownEscape}[${drawnLines}F${ownEscape}[J`;
    stream.write(`${up}${lines.map((line) => `${line}\n`).join('')}`);
    drawnLines = lines.length;
    last = undefined;
  };
  return {
    update: (view) => {
      last = view;
      if (clock.now() - drawnAtMs >= redrawMs) draw(view);
    },
    finish: () => {
      if (last) draw(last);
      drawnLines = 0;
    },
  };
}

const usualColumns = 80;
/** Terminals that do not know how high they are say 0; lower ones than this nobody has. */
const minRows = 3;

/** Terminals that do not know how wide they are say 0. */
function columnsOf({ columns = usualColumns }: TextStream): number {
  return columns > 0 ? columns : usualColumns;
}

/** What has scrolled off the screen cannot be drawn over. */
function linesOf({ rows = 0 }: TextStream): number {
  return rows > minRows ? Math.min(maxTreeLines, rows - 1) : maxTreeLines;
}

/** Steps that are over, wait or failed; a step that is begun is told once. */
function createLines({ stream, isKnown }: LiveTreeParts): LiveTree {
  let isFirst = true;
  const told = new Map<string, StepStatus>();
  let count = 0;
  const tell = (line: string): void => {
    count += 1;
    if (count < maxLines) stream.write(`${singleLine(line)}\n`);
    if (count === maxLines) stream.write('… further steps are not listed\n');
  };
  return {
    update: (view) => {
      for (const [path, step] of Object.entries(view.steps)) {
        const { status, startedAt, endedAt, error } = step;
        if (status === 'pending' || told.get(path) === status) continue;
        told.set(path, status);
        if (isFirst && isKnown && endedAt !== null) continue;
        const took =
          startedAt === null || endedAt === null ? '' : ` (${durationText(startedAt, endedAt)})`;
        tell(`${path}: ${status}${took}${error === undefined ? '' : `: ${error.message}`}`);
      }
      isFirst = false;
    },
    finish: () => {},
  };
}
