import { createLineCounter, type DocumentProblem, type PlanDocument } from './plan-document.ts';
import { maxProblems } from './plan-notes.ts';
import { formatPath } from './reference.ts';

/**
 * Reads JSON; undefined when the text is none. Lines are worked out only when somebody asks for one:
 * most plans have no problem.
 */
export function readJsonDocument(text: string): PlanDocument | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  let tops: ReadonlyMap<string, number> | undefined;
  let lineAt: ((offset: number) => number) | undefined;
  const toLine = (offset: number): number => (lineAt ??= createLineCounter(text))(offset);
  return {
    data,
    problems: duplicateKeys(text, toLine),
    lineOf: (path) => {
      tops ??= findTops(text);
      for (let length = Math.min(path.length, topDepth); length > 0; length -= 1) {
        const from = tops.get(formatPath(path.slice(0, length)));
        if (from === undefined) continue;
        return toLine(length < topDepth ? from : findWithin(text, from, path.slice(length)));
      }
      return 1;
    },
  };
}

/** `steps[3]`: what lies within is looked for when it is asked for. */
const topDepth = 2;

function findTops(text: string): ReadonlyMap<string, number> {
  const tops = new Map<string, number>();
  scan(text, 0, (frames, offset) => {
    if (frames.length <= topDepth) tops.set(formatPath(pathOf(frames)), offset);
  });
  return tops;
}

/** Where the path leads from what starts at `from`, or the furthest place on the way. */
function findWithin(text: string, from: number, path: readonly (string | number)[]): number {
  let found = from;
  let depth = 0;
  scan(text, from, (frames, offset) => {
    if (frames.length !== depth + 1 || frames.length > path.length) return;
    if (!frames.every((frame, index) => frame.at === path[index])) return;
    found = offset;
    depth += 1;
  });
  return found;
}

/** `JSON.parse` keeps the last of two equal keys and says nothing. */
function duplicateKeys(text: string, toLine: (offset: number) => number): DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  scan(text, 0, (frames, offset) => {
    const frame = frames.at(-1);
    if (frame?.keys === undefined || problems.length >= maxProblems) return;
    if (!frame.keys.has(frame.at)) return void frame.keys.add(frame.at);
    const at = pathOf(frames);
    const message = `The key "${frame.at}" is there twice in one place`;
    problems.push({ at, line: toLine(offset), code: 'plan.duplicate_key', message });
  });
  return problems;
}

interface Frame {
  /** Key or index of what comes. */
  at: string | number;
  /** Those of an object so far; absent for a list. */
  readonly keys: Set<string | number> | undefined;
  isKeyNext: boolean;
}

function pathOf(frames: readonly Frame[]): (string | number)[] {
  return frames.map((frame) => frame.at);
}

/**
 * Visits every key of an object and element of a list in the JSON value that starts at `from`, or the
 * value of the key that does, with what is around it.
 */
function scan(
  text: string,
  from: number,
  visit: (frames: readonly Frame[], offset: number) => void,
): void {
  const frames: Frame[] = [];
  let at = from;
  while (at < text.length) {
    const sign = text[at];
    const frame = frames.at(-1);
    if (sign === '"') {
      const end = endOfString(text, at);
      if (frame?.isKeyNext === true) {
        frame.at = keyOf(text.slice(at, end));
        frame.isKeyNext = false;
        visit(frames, at);
      }
      at = end;
      continue;
    }
    at += 1;
    if (sign === '{') frames.push({ at: '', keys: new Set(), isKeyNext: true });
    else if (sign === '[') {
      frames.push({ at: 0, keys: undefined, isKeyNext: false });
      visit(frames, skipBlanks(text, at));
    } else if (sign === '}' || sign === ']') {
      frames.pop();
      if (frames.length === 0) return;
    }
    if (sign === ',' && !frame) return;
    if (sign === ',' && frame) {
      if (typeof frame.at === 'string') frame.isKeyNext = true;
      else {
        frame.at += 1;
        visit(frames, skipBlanks(text, at));
      }
    }
  }
}

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (/\s/.test(text[end] ?? '')) end += 1;
  return end;
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
