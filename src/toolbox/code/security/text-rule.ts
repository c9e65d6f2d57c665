import { TextPositions } from '../text-positions.ts';
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
  const places = new TextPositions(text);
  const found: SecurityFinding[] = [];
  for (const rule of rules) {
    let matches = 0;
    for (const match of text.matchAll(rule.pattern)) {
      if (rule.accept && !rule.accept(match)) continue;
      found.push(findingOf(rule, { file, ...places.position(match.index) }));
      matches += 1;
      if (matches >= maxMatches) break;
    }
  }
  return found;
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
