import type { RunView, StepStatus, StepView } from '../../../contract/run/index.ts';
import type { Clock } from '../../../kernel/index.ts';
import type { TextStream } from '../../io.ts';
import type { Paint } from '../../output.ts';
import { ownEscape, singleLine } from '../../printable.ts';

const redrawMs = 100;
const maxTreeLines = 20;
/** The number of progress lines written to a pipe. */
const maxLines = 1_000;

/** Shows how a run goes while it does: a tree that changes at a terminal, else a line per change. */
export interface LiveTree {
  update(view: RunView): void;
  /** Leaves the last state on the screen; what is written next stands below it. */
  finish(): void;
}

interface LiveTreeParts {
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
/** Terminals of unknown height report 0; fewer rows than this are not taken seriously. */
const minRows = 3;

/** Terminals of unknown width report 0. */
function columnsOf({ columns = usualColumns }: TextStream): number {
  return columns > 0 ? columns : usualColumns;
}

/** What has scrolled off the screen cannot be drawn over. */
function linesOf({ rows = 0 }: TextStream): number {
  return rows > minRows ? Math.min(maxTreeLines, rows - 1) : maxTreeLines;
}

/** One line per change of a step's status. */
function createLines({ stream, isKnown }: LiveTreeParts): LiveTree {
  let isFirst = true;
  const shown = new Map<string, StepStatus>();
  const said = new Map<string, string>();
  let count = 0;
  const tell = (line: string): void => {
    count += 1;
    if (count < maxLines) stream.write(`${singleLine(line)}\n`);
    if (count === maxLines) stream.write('… further steps are not listed\n');
  };
  return {
    update: (view) => {
      for (const [path, step] of Object.entries(view.steps)) {
        const { status, startedAt, endedAt, error, progress } = step;
        const message = step.tool === delegateTool ? progress?.message : undefined;
        if (message !== undefined && said.get(path) !== message) {
          said.set(path, message);
          tell(`${path}: ${message}`);
        }
        if (status === 'pending' || shown.get(path) === status) continue;
        shown.set(path, status);
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

/** Its progress says which run of an agent the step waits for, and whether that one waits for a person. */
const delegateTool = 'agent.delegate';

const signs: Readonly<Record<StepStatus, string>> = {
  pending: '·',
  running: '▸',
  waiting: '?',
  succeeded: '✓',
  failed: '✗',
  skipped: '-',
  cancelled: '⊘',
  unknown: '!',
};

const colours: Readonly<Partial<Record<StepStatus, keyof Paint>>> = {
  running: 'bold',
  waiting: 'yellow',
  unknown: 'yellow',
  succeeded: 'green',
  failed: 'red',
  pending: 'dim',
  skipped: 'dim',
  cancelled: 'dim',
};

interface TreeOptions {
  readonly paint: Paint;
  readonly nowMs: number;
  /** Longer trees keep what is under way or went wrong, and count the rest. */
  readonly maxLines: number;
  readonly columns: number;
}

/** The steps of a run, those of sub-plans and elements indented, one line each. */
export function drawTree(view: RunView, options: TreeOptions): readonly string[] {
  const steps = Object.entries(view.steps);
  const shown = chooseSteps(steps, options.maxLines);
  const widest = Math.max(0, ...shown.map(([path]) => nameOf(path).length));
  const nameWidth = Math.min(widest, maxNameWidth);
  const lines = shown.map(([path, step]) => drawStep({ path, step, nameWidth }, options));
  return shown.length === steps.length ? lines : [...lines, countRest(steps, shown, options)];
}

type Entry = readonly [path: string, step: StepView];

/** What people look for first, when not everything has its place. */
const urgency: Readonly<Record<StepStatus, number>> = {
  failed: 0,
  unknown: 1,
  waiting: 2,
  running: 3,
  cancelled: 4,
  skipped: 5,
  succeeded: 6,
  pending: 7,
};

function chooseSteps(steps: readonly Entry[], maxLines: number): readonly Entry[] {
  if (steps.length <= maxLines) return steps;
  const order = new Map(steps.map((entry, index) => [entry, index]));
  return steps
    .toSorted(([, a], [, b]) => urgency[a.status] - urgency[b.status])
    .slice(0, maxLines - 1)
    .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

function countRest(
  steps: readonly Entry[],
  shown: readonly Entry[],
  { paint, columns }: TreeOptions,
): string {
  const kept = new Set(shown);
  const counts = new Map<StepStatus, number>();
  for (const entry of steps) {
    const { status } = entry[1];
    if (!kept.has(entry)) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].map(([status, count]) => `${count} ${status}`);
  const text = `… and ${steps.length - shown.length} more: ${parts.join(', ')}`;
  return paint.dim(cutToColumns(text, Math.max(columns, minRoom)));
}

interface TreeLine {
  readonly path: string;
  readonly step: StepView;
  readonly nameWidth: number;
}

function drawStep(
  { path, step, nameWidth }: TreeLine,
  { paint, nowMs, columns }: TreeOptions,
): string {
  const sign = signs[step.status];
  const parts = [
    nameOf(path).padEnd(nameWidth),
    step.tool ?? '',
    takenText(step, nowMs),
    step.attempts > 1 ? `attempt ${step.attempts}` : '',
    step.isCached === true ? 'from the cache' : '',
    itemsText(step),
    progressText(step),
    step.error ? step.error.message : '',
  ].filter((part) => part !== '');
  const room = Math.max(columns - sign.length - 1, minRoom);
  const text = singleLine(parts.join('  ').trimEnd());
  const cut = cutToColumns(text, room);
  const colour = colours[step.status];
  return `${colour === undefined ? sign : paint[colour](sign)} ${cut}`;
}

/** Signs that take two columns: of East Asia, and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/** A line that went over the edge would be two, and what is drawn next would miss one of them. */
function cutToColumns(text: string, columns: number): string {
  let [taken, kept] = [0, 0];
  for (const sign of text) {
    const width = wide.test(sign) ? 2 : 1;
    if (taken + width > columns) return `${text.slice(0, kept)}…`;
    taken += width;
    if (taken < columns) kept += sign.length;
  }
  return text;
}

const maxIndent = 10;
const maxNameWidth = 32;
const minRoom = 20;

/** `outer[2]/inner` is `inner` below `outer[2]`, which is below `outer`. */
function nameOf(path: string): string {
  const parts = path.split('/');
  const elements = path.split('[').length - 1;
  const depth = Math.min(parts.length - 1 + elements, maxIndent);
  return `${'  '.repeat(depth)}${parts.at(-1) ?? path}`;
}

function takenText({ status, startedAt, endedAt }: StepView, nowMs: number): string {
  const isUnderWay = status === 'running' || status === 'waiting';
  if (startedAt === null || (endedAt === null && !isUnderWay)) return '';
  return durationText(startedAt, endedAt ?? new Date(nowMs).toISOString());
}

function itemsText({ items }: StepView): string {
  return items === undefined ? '' : `${items.done} of ${items.total}`;
}

function progressText({ progress: said, status }: StepView): string {
  if (said === undefined || status !== 'running') return '';
  const { progress, total, message = '' } = said;
  return `${countProgress(progress, total)} ${message}`.trim();
}

/** `340 ms`, `2.1 s`, `3 min 20 s`, from one ISO time to another. */
export function durationText(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** `3/10`. Servers grow a count by fractions to say that they live; the count itself is whole then. */
export function countProgress(progress: number, total: number | undefined): string {
  const count = total !== undefined && total > 1 ? Math.floor(progress) : progress;
  return total === undefined ? String(count) : `${count}/${Math.ceil(total)}`;
}
