import { AppError } from '../../kernel/index.ts';

interface Size {
  readonly boxes: number;
  readonly edges: number;
}

/** A picture nobody could look at was not drawn. */
export class PlanTooLargeToDrawError extends AppError {
  readonly code = 'plan.too_large_to_draw';

  constructor(format: string, size: Size, limit: Size) {
    super(
      `The plan was not drawn as ${format}: it has ${size.boxes} steps and ${size.edges} edges, and at most ${limit.boxes} and ${limit.edges} are drawn. ` +
        (format === 'text' ? 'Look at a sub-plan of it' : 'Use --format text, which takes more'),
      { details: { format, size, limit } },
    );
  }
}
