import { z } from 'zod';
import { about, httpUrl, type Sealed, secretOrEmptyText } from './traits.ts';

const hourMs = 3_600_000;

/** True for a text with a `${…}` in it, which is filled in when the server starts. */
export function holdsReference(text: string): boolean {
  return text.includes('${');
}

const address = z
  .string()
  .refine((text) => holdsReference(text) || httpUrl.safeParse(text).success)
  .meta(about('An address.', { isAddress: true, expected: 'an http or https address' }));

const toolChoice = z
  .strictObject({
    include: z
      .array(z.string())
      .optional()
      .meta(about('Offer only these tools.', { defaultText: 'all' })),
    exclude: z.array(z.string()).default([]).meta(about('Do not offer these tools.')),
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
      .meta(
        about('Transport.', {
          defaultText:
            '`stdio` with `command`; with `url` `http`, and `sse` when the server speaks only that',
        }),
      ),
    command: z.string().min(1).optional().meta(about('Program to start (stdio).')),
    args: z.array(z.string()).default([]).meta(about('Arguments of the program.')),
    env: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(
        about(
          'Environment variables of the program, in addition to the few every program needs (`PATH`, `HOME` …).',
        ),
      ),
    cwd: z
      .string()
      .min(1)
      .optional()
      .meta(
        about('Working directory of the program.', {
          isPath: true,
          defaultText: 'the folder of the project’s file that names it, else your home directory',
        }),
      ),
    url: address.optional().meta(about('URL of the server (http).')),
    headers: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(about('Headers of every request.')),
    timeoutMs: z
      .int()
      .min(1)
      .max(hourMs)
      .optional()
      .meta(
        about('Time after which a call without progress is ended.', {
          defaultText: '`performance.timeout_seconds`',
        }),
      ),
    retryAttempts: z
      .int()
      .min(0)
      .max(100)
      .default(3)
      .meta(about('Retries after a failed start or connection.')),
    retryDelayMs: z
      .int()
      .min(0)
      .max(hourMs)
      .default(1000)
      .meta(about('Pause before the first retry; it doubles with each.')),
    lazy: z
      .boolean()
      .default(true)
      .meta(about('Start it on first use; `false` starts it together with `mcp` and `serve`.')),
    idleStopMs: z
      .int()
      .min(0)
      .max(24 * hourMs)
      .default(0)
      .meta(about('Stop it after this time without a call; 0 means never.')),
    maxProcesses: z
      .int()
      .min(1)
      .max(1000)
      .default(1)
      .meta(about('Maximum number of processes of this server.')),
    tools: toolChoice
      .default({ exclude: [] })
      .meta(about('Which of its tools are offered: `include`, `exclude`.', { defaultText: 'all' })),
    trustAnnotations: z
      .boolean()
      .default(false)
      .meta(
        about(
          'Believe what the server says about its tools: read-only, not destructive, idempotent. Otherwise such hints count only where they ask for more care.',
        ),
      ),
    prefix: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta(
        about('Prefix for the names of its tools, instead of the key.', { defaultText: 'the key' }),
      ),
    enabled: z.boolean().default(true).meta(about('`false` keeps the entry without using it.')),
    disabled: z
      .boolean()
      .default(false)
      .meta(about('The inverse of `enabled`, as used by some clients.')),
  })
  .refine((entry) => (entry.command === undefined) !== (entry.url === undefined), {
    error: 'exactly one of "command" (a program) and "url" (an address)',
  });

/** An entry of `mcpServers` with its defaults and its secrets sealed. */
export type McpServerEntry = Sealed<z.output<typeof mcpServerSettings>>;
