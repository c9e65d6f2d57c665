import type { SourceFile } from '../../source-files.ts';
import { TextPositions } from '../../text-positions.ts';
import { readRules, type FileRule, type RuleGroup, type TextMatch } from '../rules/rule-file.ts';
import { findingOf, type SecurityFinding } from '../security-rule.ts';
import { isPlaceholder } from '../../secrets/judge-secret.ts';

/** A part of a file that rules look at on its own, where it starts, and its text without the contents of literals. */
export interface TextUnit {
  readonly start: number;
  readonly text: string;
  readonly code: string;
}

const maxMatches = 1_000;

/** Runs the text rules of a group over the units of a file. */
export function matchText(
  group: RuleGroup,
  file: SourceFile,
  units: readonly TextUnit[],
): SecurityFinding[] {
  const places = new TextPositions(file.text);
  const found: SecurityFinding[] = [];
  for (const rule of readRules(group).rules.values()) {
    const offsets = units.flatMap((unit) => offsetsIn(unit, rule, file));
    for (const offset of offsets) {
      found.push(findingOf(rule, { file: file.path, ...places.position(offset) }));
    }
  }
  return found;
}

/** Where a rule matches in a unit, by the first of its ways to match. */
function offsetsIn(unit: TextUnit, { find }: FileRule, { language }: SourceFile): number[] {
  for (const match of find) {
    if (match.languages && !match.languages.includes(language)) continue;
    const offsets = offsetsOf(match.in === 'text' ? unit.text : unit.code, match);
    if (offsets.length > 0) return offsets.map((offset) => unit.start + offset);
  }
  return [];
}

function offsetsOf(text: string, match: TextMatch): number[] {
  if (!match.find.test(text)) return [];
  if (match.without?.test(text) || !match.with.every((other) => other.test(text))) return [];
  const hits = text
    .matchAll(new RegExp(match.find, `${match.find.flags}g`))
    .filter(({ groups }) => !isPlaceholder(groups?.['secret'] ?? ''))
    .map(({ index }) => index);
  return [...hits.take(match.every ? maxMatches : 1)];
}

/** The text with some ranges turned to spaces; lines stay where they are. */
export function blank(text: string, ranges: readonly (readonly [number, number])[]): string {
  let result = '';
  let done = 0;
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    result += text.slice(done, from) + text.slice(from, end).replaceAll(/[^\n]/g, ' ');
    done = end;
  }
  return result + text.slice(done);
}
