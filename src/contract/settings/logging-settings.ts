import { z } from 'zod';
import { sizeText } from './scalars.ts';
import { about } from './traits.ts';

export const loggingSettings = z
  .strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .meta(
        about('Lines below this level are not written.', {
          flag: '--log-level',
          isUserOnly: false,
        }),
      ),
    format: z.enum(['json']).default('json').meta(about('One JSON object per line.')),
    file: z
      .string()
      .min(1)
      .meta(
        about('Where the log is written.', {
          isPath: true,
          defaultText: '`<home>/logs/tutti.log`',
        }),
      ),
    max_size: sizeText
      .default('100MB')
      .meta(about('The log file is put aside when it reaches this size.')),
    backup_count: z
      .int()
      .min(0)
      .max(1000)
      .default(5)
      .meta(about('How many log files that were put aside are kept.')),
  })
  .meta(about('The log.', { isUserOnly: true }));
