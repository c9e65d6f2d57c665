import { diffLines } from 'diff';
import type { ToolDefinition, ToolDiff } from '../../contract/fleet/index.ts';
import type { Paint } from '../output.ts';
import { singleLine } from '../printable.ts';
import { escapeUnseen } from '../../kernel/index.ts';

/** Lines around a change that show where it is. */
const contextLines = 2;
/** Beyond this a difference is found by whole texts: looking for it line by line takes long. */
const maxDiffLength = 200_000;

/** What changed of the tools of a server, as a person reads it. */
export function describeDiffs(diffs: readonly ToolDiff[], paint: Paint): string {
  return diffs.map((diff) => describeDiff(diff, paint)).join('\n\n');
}

function describeDiff({ change, before, after }: ToolDiff, paint: Paint): string {
  const { tool, kind, at, isHeld, isLessCareful } = change;
  const state = [
    kind === 'instructions' ? 'changed' : kind,
    isHeld ? 'held back' : 'in use',
    ...(isLessCareful ? ['asks for less care'] : []),
    `since ${at}`,
  ];
  const title = paint.bold(singleLine(tool));
  const head = `${title} (${state.join(', ')})`;
  if (!after) return `${head}\n  It is not offered at present.`;
  if (!before && kind !== 'new')
    return `${head}\n  What it was before is not known. Now:\n${added(after, paint)}`;
  return before
    ? `${head}\n${changedLines(before, after, paint)}`
    : `${head}\n${added(after, paint)}`;
}

function added(definition: ToolDefinition, paint: Paint): string {
  return linesOf(definition)
    .map((line) => paint.green(`  + ${line}`))
    .join('\n');
}

function changedLines(before: ToolDefinition, after: ToolDefinition, paint: Paint): string {
  const [old, current] = [before, after].map((it) => `${linesOf(it).join('\n')}\n`);
  if (old === undefined || current === undefined) return '';
  const parts =
    old.length + current.length > maxDiffLength
      ? [
          { value: old, removed: true },
          { value: current, added: true },
        ]
      : diffLines(old, current);
  return parts
    .flatMap((part, index) => {
      const lines = part.value.trimEnd().split('\n');
      if (part.added === true) return lines.map((line) => paint.green(`  + ${line}`));
      if (part.removed === true) return lines.map((line) => paint.red(`  - ${line}`));
      return nearby(lines, index > 0, index < parts.length - 1);
    })
    .join('\n');
}

/** Of the lines that are the same, those next to a change. */
function nearby(lines: readonly string[], isAfter: boolean, isBefore: boolean): string[] {
  const first = isAfter ? lines.slice(0, contextLines) : [];
  const rest = lines.slice(first.length);
  const last = isBefore ? rest.slice(-contextLines) : [];
  const isCut = first.length + last.length < lines.length;
  return [...first, ...(isCut ? ['…'] : []), ...last].map((line) => `    ${line}`);
}

/** One line per fact, hidden characters visible. */
function linesOf({ title, description, ...rest }: ToolDefinition): string[] {
  const texts = [
    ...(title === undefined ? [] : [`title: ${title}`]),
    ...(description === undefined ? [] : [`description: ${description}`]),
    ...Object.entries(rest).map(([name, value]) => `${name}: ${JSON.stringify(value, null, 2)}`),
  ];
  return texts.flatMap((text) => text.split('\n')).map(escapeUnseen);
}
