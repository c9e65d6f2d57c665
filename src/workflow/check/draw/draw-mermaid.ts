import { label, type Box, type Drawing } from './drawing.ts';

const maxLabel = 80;

/** How each kind of step is drawn: brackets around its label. */
const shapes: Readonly<Record<Box['kind'], readonly [open: string, close: string]>> = {
  call: ['["', '"]'],
  sleep: ['(["', '"])'],
  wait: ['(["', '"])'],
  gate: ['{{"', '"}}'],
  plan: ['[["', '"]]'],
};

/** A Mermaid flowchart. Boxes are numbered, so that no name of a step can be a word of Mermaid. */
export function drawMermaid(drawing: Drawing): string {
  return ['flowchart TD', ...linesOf(drawing, { prefix: 's', indent: '  ' })].join('\n') + '\n';
}

interface Level {
  readonly prefix: string;
  readonly indent: string;
}

function linesOf({ boxes }: Drawing, { prefix, indent }: Level): string[] {
  const lines: string[] = [];
  for (const [index, box] of boxes.entries()) {
    const name = `${prefix}${index}`;
    const text = [`<b>${escape(box.id)}</b>`, escape(box.does), ...box.notes.map(escape)].join(
      '<br/>',
    );
    if (box.inner) {
      lines.push(
        `${indent}subgraph ${name}["${text}"]`,
        ...linesOf(box.inner, { prefix: `${name}_`, indent: `${indent}  ` }),
        `${indent}end`,
      );
    } else {
      const [open, close] = shapes[box.kind];
      lines.push(`${indent}${name}${open}${text}${close}`);
    }
  }
  for (const [index, box] of boxes.entries()) {
    for (const need of box.needs) lines.push(`${indent}${prefix}${need} --> ${prefix}${index}`);
  }
  return lines;
}

/** Whatever Mermaid or HTML could read as theirs becomes an entity in Mermaid's own notation. */
function escape(text: string): string {
  return label(text, maxLabel).replaceAll(
    /[^\p{L}\p{N} ._,:/…()-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
