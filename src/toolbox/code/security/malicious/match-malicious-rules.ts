import type { SourceFile } from '../../source-files.ts';
import { findingOf, type SecurityFinding } from '../security-rule.ts';
import { TextPositions } from '../../text-positions.ts';
import { maliciousRules } from './malicious-rules.ts';

/** Signs of harmful intent anywhere in a text, in comments and strings too. */
export function matchMaliciousRules(file: SourceFile): SecurityFinding[] {
  const places = new TextPositions(file.text);
  const found: SecurityFinding[] = [];
  for (const rule of maliciousRules) {
    if (!rule.languages.includes(file.language)) continue;
    const [first, ...more] = rule.all;
    const match = first?.exec(file.text);
    if (!match || !more.every((pattern) => pattern.test(file.text))) continue;
    found.push(findingOf(rule, { file: file.path, ...places.position(match.index) }));
  }
  return found;
}
