import { blankUnseen, pluralize } from '../../../kernel/index.ts';
import type { CompiledPlan, CompiledStep } from '../../plan/index.ts';

/** A step as it is drawn. */
export interface Box {
  readonly id: string;
  readonly kind: CompiledStep['kind'];
  /** What it does: the tool, or what it waits for. */
  readonly does: string;
  /** What else is to be known: `when …`, `for each …`, `approval`. */
  readonly notes: readonly string[];
  /** Indexes of the boxes it needs. */
  readonly needs: readonly number[];
  /** From 0: how many steps the longest way to it has. */
  readonly layer: number;
  readonly inner: Drawing | undefined;
}

export interface Drawing {
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly edges: number;
  readonly layers: number;
}

/** Sub-plans below this are drawn as one box. */
const maxNesting = 4;

export function describePlan(plan: CompiledPlan, nesting = 0): Drawing {
  const layers = layersOf(plan.steps);
  const boxes = plan.steps.map((step): Box => ({
    id: step.id,
    kind: step.kind,
    does: describeStep(step),
    notes: notesOf(step),
    needs: step.needs,
    layer: layers[step.index] ?? 0,
    inner:
      step.kind === 'plan' && nesting < maxNesting
        ? describePlan(step.plan, nesting + 1)
        : undefined,
  }));
  return {
    title: plan.plan.name ?? plan.plan.goal ?? 'Plan',
    boxes,
    edges: boxes.reduce((sum, box) => sum + box.needs.length, 0),
    layers: boxes.reduce((most, box) => Math.max(most, box.layer + 1), 0),
  };
}

/** Kahn's order, so that a chain of thousands needs no recursion; steps of a cycle stay at 0. */
function layersOf(steps: readonly CompiledStep[]): number[] {
  const layers = steps.map(() => 0);
  const missing = steps.map((step) => step.needs.length);
  const ready = steps.filter((step) => step.needs.length === 0).map((step) => step.index);
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    for (const after of steps[next]?.neededBy ?? []) {
      layers[after] = Math.max(layers[after] ?? 0, (layers[next] ?? 0) + 1);
      missing[after] = (missing[after] ?? 0) - 1;
      if (missing[after] === 0) ready.push(after);
    }
  }
  return layers;
}

function describeStep(step: CompiledStep): string {
  switch (step.kind) {
    case 'call':
      return step.tool;
    case 'sleep':
      return typeof step.step.sleep === 'number'
        ? `sleep ${step.step.sleep} ms`
        : `sleep ${step.step.sleep ?? ''}`;
    case 'wait':
      return `wait for ${step.signal}`;
    case 'gate':
      return 'approval';
    case 'plan':
      return `plan of ${pluralize(step.plan.steps.length, 'step')}`;
  }
}

function notesOf({ step, kind }: CompiledStep): string[] {
  const notes: string[] = [];
  if (step.when !== undefined) notes.push(`when ${String(step.when)}`);
  if (typeof step.forEach === 'string') notes.push(`for each ${step.forEach}`);
  else if (step.forEach) notes.push(`for each of ${step.forEach.length}`);
  if (kind !== 'gate' && step.approval !== undefined && step.approval !== false)
    notes.push('asks for approval');
  if (step.onFailure !== undefined && step.onFailure !== 'stop')
    notes.push(`on failure ${step.onFailure}`);
  if (step.cache !== undefined && step.cache !== false) notes.push('cached');
  return notes;
}

/** Others' words on one line, cut where they are long, without what a terminal would act on. */
export function label(text: string, maxLength: number): string {
  const line = blankUnseen(text).trim();
  const characters = Array.from(line);
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

const maxTitle = 100;
const maxNote = 80;
const maxNamed = 6;
/** Deeper steps are not moved further to the right. */
const maxIndent = 8;
const maxColumn = 44;

/** One line for each step, in an order in which they could run, moved in by how much comes before. */
export function drawText(drawing: Drawing): string {
  const { boxes, edges, layers } = drawing;
  const head = `${label(drawing.title, maxTitle)}: ${pluralize(boxes.length, 'step')}, ${pluralize(edges, 'edge')}, longest chain ${layers}`;
  return `${[head, ...textLines(drawing, '  ')].join('\n')}\n`;
}

function textLines({ boxes }: Drawing, indent: string): string[] {
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
    ...(inner ? textLines(inner, `${' '.repeat(id.length - id.trimStart().length)}│ `) : []),
  ]);
}

function widest(cells: readonly string[]): number {
  return cells.reduce(
    (most, cell) => (cell.length > maxColumn ? most : Math.max(most, cell.length)),
    0,
  );
}

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
  return (
    ['flowchart TD', ...mermaidLines(drawing, { prefix: 's', indent: '  ' })].join('\n') + '\n'
  );
}

interface Level {
  readonly prefix: string;
  readonly indent: string;
}

function mermaidLines({ boxes }: Drawing, { prefix, indent }: Level): string[] {
  const lines: string[] = [];
  for (const [index, box] of boxes.entries()) {
    const name = `${prefix}${index}`;
    const text = [`<b>${escape(box.id)}</b>`, escape(box.does), ...box.notes.map(escape)].join(
      '<br/>',
    );
    if (box.inner) {
      lines.push(
        `${indent}subgraph ${name}["${text}"]`,
        ...mermaidLines(box.inner, { prefix: `${name}_`, indent: `${indent}  ` }),
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
