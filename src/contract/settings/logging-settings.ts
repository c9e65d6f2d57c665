import { z } from 'zod';
import { sizeText } from './scalars.ts';
import { about } from './traits.ts';

export const loggingSettings = z
  .strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .meta(
        about('Minimum level of log lines.', {
          flag: '--log-level',
          isUserOnly: false,
        }),
      ),
    format: z.enum(['json']).default('json').meta(about('One JSON object per line.')),
    file: z
      .string()
      .min(1)
      .meta(
        about('Path of the log file.', {
          isPath: true,
          defaultText: '`<home>/logs/tutti.log`',
        }),
      ),
    max_size: sizeText.default('100MB').meta(about('Size at which the log file is rotated.')),
    backup_count: z
      .int()
      .min(0)
      .max(1000)
      .default(5)
      .meta(about('Number of rotated log files to keep.')),
  })
  .meta(about('The log.', { isUserOnly: true }));
