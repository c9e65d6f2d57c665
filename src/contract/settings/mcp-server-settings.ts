import { z } from 'zod';
import { httpUrl, secretOrEmptyText } from './scalars.ts';
import { about } from './traits.ts';

const hourMs = 3_600_000;

const toolChoice = z
  .strictObject({
    include: z.array(z.string()).optional().meta(about('Offer only these tools.')),
    exclude: z.array(z.string()).optional().meta(about('Do not offer these tools.')),
  })
  .meta(about('Which of its tools are offered.'));

/**
 * One entry of `mcpServers`, in the shape other MCP clients use, so that an entry can be copied
 * over. Keys of other clients that mean nothing here are kept and ignored.
 */
export const mcpServerSettings = z
  .looseObject({
    type: z
      .enum(['stdio', 'http', 'streamable-http', 'sse'])
      .optional()
      .meta(about('Transport; without it `command` means stdio and `url` means http.')),
    command: z.string().min(1).optional().meta(about('Program to start (stdio).')),
    args: z.array(z.string()).optional().meta(about('Arguments of the program.')),
    env: z
      .record(z.string(), secretOrEmptyText)
      .optional()
      .meta(about('Environment of the program.')),
    cwd: z
      .string()
      .min(1)
      .optional()
      .meta(about('Folder it starts in.', { isPath: true })),
    url: httpUrl.optional().meta(about('Address of the server (http).')),
    headers: z
      .record(z.string(), secretOrEmptyText)
      .optional()
      .meta(about('Headers of every request.')),
    timeoutMs: z
      .int()
      .min(1)
      .max(hourMs)
      .optional()
      .meta(about('A call is ended after this long.')),
    retryAttempts: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .meta(about('Retries after a failed start or connection.')),
    retryDelayMs: z.int().min(0).max(hourMs).optional().meta(about('Pause before a retry.')),
    lazy: z.boolean().optional().meta(about('Start it at the first call.')),
    idleStopMs: z
      .int()
      .min(0)
      .max(24 * hourMs)
      .optional()
      .meta(about('Stop it after this long without a call.')),
    maxProcesses: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .meta(about('Processes of it at the same time.')),
    tools: toolChoice
      .optional()
      .meta(about('Which of its tools are offered: `include`, `exclude`.')),
    prefix: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta(about('Its name in front of its tools, in place of the key.')),
    enabled: z.boolean().optional().meta(about('`false` keeps the entry and does not use it.')),
    disabled: z
      .boolean()
      .optional()
      .meta(about('The same the other way round, as some clients write it.')),
  })
  .refine((entry) => (entry.command === undefined) !== (entry.url === undefined), {
    error: 'exactly one of "command" (a program) and "url" (an address)',
  });
