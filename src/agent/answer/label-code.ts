/** Stands above every code block that a model put into its own words. */
export const unverifiedLabel = 'NOT VERIFIED (a model wrote this; it was neither run nor tested):';

/** Labels code in text that comes in pieces cut anywhere. */
export interface CodeLabeller {
  /** What of the text so far can be shown. */
  push(text: string): string;
  /** What was held back. */
  end(): string;
}

/** The beginning of a line that may still become the fence of a code block. */
const maybeFence = /^\s{0,8}(?:[`~]|$)/;
const opening = /^\s{0,8}(`{3,}|~{3,})/;

export function createCodeLabeller(): CodeLabeller {
  let held = '';
  let isLineOpen = false;
  let fence: string | undefined;
  const readLine = (line: string): string => {
    const [, mark] = opening.exec(line) ?? [];
    if (mark === undefined) return line;
    if (fence === undefined) {
      fence = mark;
      return `${unverifiedLabel}\n${line}`;
    }
    const isClosing = mark.startsWith(fence) && line.trim() === mark;
    if (isClosing) fence = undefined;
    return line;
  };
  const drain = (): string => {
    let shown = '';
    for (let at = held.indexOf('\n'); at >= 0; at = held.indexOf('\n')) {
      const line = held.slice(0, at + 1);
      held = held.slice(at + 1);
      shown += isLineOpen ? line : readLine(line);
      isLineOpen = false;
    }
    if (held === '' || (!isLineOpen && maybeFence.test(held))) return shown;
    isLineOpen = true;
    shown += held;
    held = '';
    return shown;
  };
  return {
    push: (text) => {
      held += text;
      return drain();
    },
    end: () => {
      const rest = held === '' || isLineOpen ? held : readLine(held);
      held = '';
      return rest;
    },
  };
}

/** The same for a whole text. */
export function labelCode(text: string): string {
  const labeller = createCodeLabeller();
  return labeller.push(text) + labeller.end();
}
