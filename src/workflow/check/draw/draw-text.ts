import { counted } from '../../../kernel/index.ts';
import { label, type Drawing } from './drawing.ts';

const maxTitle = 100;
const maxNote = 80;
const maxNamed = 6;
/** Deeper steps are not moved further to the right. */
const maxIndent = 8;
const maxColumn = 44;

/** One line for each step, in an order in which they could run, moved in by how much comes before. */
export function drawText(drawing: Drawing): string {
  const { boxes, edges, layers } = drawing;
  const head = `${label(drawing.title, maxTitle)}: ${counted(boxes.length, 'step')}, ${counted(edges, 'edge')}, longest chain ${layers}`;
  return `${[head, ...linesOf(drawing, '  ')].join('\n')}\n`;
}

function linesOf({ boxes }: Drawing, indent: string): string[] {
  const rows = boxes
    .map((box, index) => ({ box, index }))
    .sort((a, b) => a.box.layer - b.box.layer || a.index - b.index)
    .map(({ box }) => {
      const before = box.needs.map((need) => boxes[need]?.id ?? '');
      const more = before.length - maxNamed;
      const named = before.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
      return {
        id: `${indent}${'  '.repeat(Math.min(box.layer, maxIndent))}${box.id}`,
        does: label(box.does, maxNote),
        rest: [
          before.length > 0 ? `← ${named}` : '',
          ...box.notes.map((note) => label(note, maxNote)),
        ]
          .filter((part) => part !== '')
          .join('   '),
        inner: box.inner,
      };
    });
  const idWidth = widest(rows.map((row) => row.id));
  const doesWidth = widest(rows.map((row) => row.does));
  return rows.flatMap(({ id, does, rest, inner }) => [
    `${id.padEnd(idWidth)}  ${does.padEnd(doesWidth)}  ${rest}`.trimEnd(),
    ...(inner ? linesOf(inner, `${' '.repeat(id.length - id.trimStart().length)}│ `) : []),
  ]);
}

function widest(cells: readonly string[]): number {
  return cells.reduce(
    (most, cell) => (cell.length > maxColumn ? most : Math.max(most, cell.length)),
    0,
  );
}
