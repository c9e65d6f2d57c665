import type { SourceFile } from '../source-files.ts';
import type { LintFinding } from './lint-finding.ts';

const tabWidth = 4;

/** Lines over the limit, unless what makes them long is one address or path without spaces. */
export function longLines(file: SourceFile, limit: number): LintFinding[] {
  const findings: LintFinding[] = [];
  file.text.split('\n').forEach((line, index) => {
    if (line.length * tabWidth <= limit) return;
    const length = widthOf(line);
    if (length <= limit || isUnbreakable(line, limit)) return;
    findings.push({
      severity: 'info',
      area: 'standards',
      rule: `${file.language}/line-length`,
      message: `The line has ${length} columns, more than ${limit}`,
      file: file.path,
      line: index + 1,
      column: limit + 1,
    });
  });
  return findings;
}

function widthOf(line: string): number {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  let tabs = 0;
  for (const character of text) if (character === '\t') tabs += 1;
  return text.length + tabs * (tabWidth - 1);
}

function isUnbreakable(line: string, limit: number): boolean {
  const lastSpace = line.trimEnd().lastIndexOf(' ');
  return lastSpace <= 0 || line.slice(lastSpace).length > limit / 2;
}
