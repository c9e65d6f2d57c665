import type { Passage } from '../passage.ts';
import { splitLong } from './split-long.ts';

/** Of a type or a group of constants, this many lines are shown. */
const maxDeclarationLines = 80;

/** The package comment and the exported declarations of a Go file, each with the comment above it. */
export function splitGo(text: string): Passage[] {
  const lines = text.split('\n');
  const clause = lines.find((line) => line.startsWith('package ')) ?? '';
  const packageName = /^package\s+(\w+)/.exec(clause)?.[1] ?? '';
  const passages: Passage[] = [];
  let comment = -1;
  let isBlock = false;
  lines.forEach((line, index) => {
    if (isBlock || line.startsWith('//') || line.startsWith('/*')) {
      if (comment < 0) comment = index;
      if (line.startsWith('/*')) isBlock = true;
      if (line.includes('*/')) isBlock = false;
      return;
    }
    const start = comment < 0 ? index : comment;
    const isCommented = comment >= 0;
    comment = -1;
    const name = exportedName(line);
    const isClause = line.startsWith('package ') && isCommented;
    if (name === undefined && !isClause) return;
    const heading = name === undefined ? `package ${packageName}` : `${packageName}.${name}`;
    const end = isClause ? index + 1 : declarationEnd(lines, index);
    passages.push(...splitLong({ heading, line: start + 1, lines: lines.slice(start, end) }));
  });
  return passages;
}

function exportedName(line: string): string | undefined {
  const method = /^func \((?:\w+ )?\*?([A-Z]\w*)(?:\[[^\]]*\])?\) ([A-Z]\w*)/.exec(line);
  if (method) return `${method[1]}.${method[2]}`;
  const plain = /^(?:func|type|const|var) ([A-Z]\w*)/.exec(line)?.[1];
  if (plain !== undefined) return plain;
  return /^(const|var|type) \($/.exec(line)?.[1];
}

/** A function is shown by its head; a type or a group to its closing bracket. */
function declarationEnd(lines: readonly string[], index: number): number {
  const line = lines[index] ?? '';
  const isOpen = /[{(]\s*$/.test(line);
  const isFunction = line.startsWith('func ');
  if (!isOpen || (isFunction && line.trimEnd().endsWith('{'))) return index + 1;
  const limit = Math.min(lines.length, index + maxDeclarationLines);
  for (let at = index + 1; at < limit; at += 1) {
    if (/^[})]/.test(lines[at] ?? '')) return at + 1;
  }
  return limit;
}
