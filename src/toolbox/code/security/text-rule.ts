import { findingOf, type SecurityFinding, type SecurityRule } from './security-rule.ts';

/** A rule over plain text. The pattern is global and runs in linear time. */
export interface TextRule extends SecurityRule {
  readonly pattern: RegExp;
  /** A second look at a match, where the pattern alone is not enough. */
  readonly accept?: (match: RegExpExecArray) => boolean;
}

const maxMatches = 1_000;

export function matchTextRules(
  rules: readonly TextRule[],
  text: string,
  file: string,
): SecurityFinding[] {
  const places = new TextPlaces(text);
  const found: SecurityFinding[] = [];
  for (const rule of rules) {
    let matches = 0;
    for (const match of text.matchAll(rule.pattern)) {
      if (rule.accept && !rule.accept(match)) continue;
      found.push(findingOf(rule, { file, ...places.at(match.index) }));
      matches += 1;
      if (matches >= maxMatches) break;
    }
  }
  return found;
}

/** Line and column of offsets in one text; the line table is built when first asked. */
export class TextPlaces {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  at(offset: number): { line: number; column: number } {
    const starts = (this.#starts ??= startsOf(this.#text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The text with some ranges turned to spaces; lines stay where they are. */
export function blank(text: string, ranges: readonly (readonly [number, number])[]): string {
  let result = '';
  let done = 0;
  for (const [start, end] of ranges) {
    result += text.slice(done, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ');
    done = end;
  }
  return result + text.slice(done);
}
