import type { CompiledPlan } from '../../plan/index.ts';
import { PlanTooLargeToDrawError } from '../errors.ts';
import { describePlan, type Drawing } from './drawing.ts';
import { drawMermaid } from './draw-mermaid.ts';
import { drawSvg } from './draw-svg.ts';
import { drawText } from './draw-text.ts';

export type PlanFormat = 'text' | 'mermaid' | 'svg';

/** More than this no one can look at, and no viewer shows. */
const maxBoxes: Readonly<Record<PlanFormat, number>> = { text: 20_000, mermaid: 2_000, svg: 500 };
const maxEdges: Readonly<Record<PlanFormat, number>> = {
  text: 200_000,
  mermaid: 5_000,
  svg: 3_000,
};

/** Throws `plan.too_large_to_draw`. */
export function drawPlan(plan: CompiledPlan, format: PlanFormat): string {
  const drawing = describePlan(plan);
  const size = sizeOf(drawing);
  if (size.boxes > maxBoxes[format] || size.edges > maxEdges[format]) {
    throw new PlanTooLargeToDrawError(format, size, {
      boxes: maxBoxes[format],
      edges: maxEdges[format],
    });
  }
  switch (format) {
    case 'text':
      return drawText(drawing);
    case 'mermaid':
      return drawMermaid(drawing);
    case 'svg':
      return drawSvg(drawing);
  }
}

function sizeOf(drawing: Drawing): { boxes: number; edges: number } {
  const size = { boxes: drawing.boxes.length, edges: drawing.edges };
  for (const { inner } of drawing.boxes) {
    if (!inner) continue;
    const { boxes, edges } = sizeOf(inner);
    size.boxes += boxes;
    size.edges += edges;
  }
  return size;
}
