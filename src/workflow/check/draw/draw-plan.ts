import { AppError } from '../../../kernel/index.ts';
import type { CompiledPlan } from '../../plan/index.ts';
import { drawSvg } from './draw-svg.ts';
import { describePlan, type Drawing, drawMermaid, drawText } from './drawing.ts';

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

interface Size {
  readonly boxes: number;
  readonly edges: number;
}

/** The plan is too large for a readable drawing. */
class PlanTooLargeToDrawError extends AppError {
  readonly code = 'plan.too_large_to_draw';

  constructor(format: string, size: Size, limit: Size) {
    super(
      `The plan was not drawn as ${format}: it has ${size.boxes} steps and ${size.edges} edges, and at most ${limit.boxes} and ${limit.edges} are drawn. ` +
        (format === 'text' ? 'Look at a sub-plan of it' : 'Use --format text, which takes more'),
      { details: { format, size, limit } },
    );
  }
}
