import { z } from 'zod';
import {
  about,
  flag,
  httpUrl,
  optionalText,
  optionalWholeNumber,
  seconds,
  type Sealed,
  secretOrEmptyText,
  secretText,
  wholeNumber,
} from './traits.ts';

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

const resultCache = z
  .strictObject({
    ttlMs: wholeNumber(
      [1, 24 * hourMs],
      60_000,
      'How long a result is kept. A call of another kind of tool, a restart or an announced change discards all.',
    ),
    tools: z
      .array(z.string())
      .optional()
      .meta(about('Keep results of these tools only.', { defaultText: 'all read-only ones' })),
  })
  .meta(about('Which results are kept.'));
const tokenExchange = z
  .strictObject({
    subjectToken: secretText.meta(about('The token to exchange.', { isSecret: true })),
    subjectTokenType: z
      .string()
      .min(1)
      .default('urn:ietf:params:oauth:token-type:access_token')
      .meta(about('Its type.')),
    actorToken: secretText.optional().meta(
      about('A token of this Tutti itself: the new token then names who acts, and for whom.', {
        isSecret: true,
      }),
    ),
    actorTokenType: z
      .string()
      .min(1)
      .default('urn:ietf:params:oauth:token-type:access_token')
      .meta(about('Its type.')),
    audience: optionalText(
      'Where the new token is used, in the words of the authorization server.',
    ),
  })
  .meta(about('Token exchange (RFC 8693).'));

const serverLogin = z
  .strictObject({
    clientId: optionalText('Client id that the authorization server gave to Tutti.', {
      defaultText: '`login.client_metadata_url`, else Tutti registers itself',
    }),
    clientSecret: secretText.optional().meta(about('Secret of that client.', { isSecret: true })),
    issuer: httpUrl.optional().meta(
      about('The only authorization server to accept.', {
        isAddress: true,
        defaultText: 'the first one that the server names',
      }),
    ),
    scopes: z
      .array(z.string().min(1))
      .optional()
      .meta(about('Scopes to request.', { defaultText: 'those the server names' })),
    exchange: tokenExchange
      .optional()
      .meta(
        about(
          'Obtain tokens by token exchange (RFC 8693) instead of with a browser: `subjectToken`, `subjectTokenType`, `actorToken`, `actorTokenType`, `audience`. Needs `clientId`.',
        ),
      ),
  })
  .meta(about('The login to the server.'));

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
    command: optionalText('Program to start (stdio).'),
    args: z.array(z.string()).default([]).meta(about('Arguments of the program.')),
    env: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(
        about(
          'Environment variables of the program, in addition to the few every program needs (`PATH`, `HOME` …).',
        ),
      ),
    cwd: optionalText('Working directory of the program.', {
      isPath: true,
      defaultText: 'the folder of the project’s file that names it, else your home directory',
    }),
    url: address.optional().meta(about('URL of the server (http).')),
    headers: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(about('Headers of every request.')),
    login: serverLogin
      .optional()
      .meta(
        about(
          'How callers log in to the server (http): `clientId`, `clientSecret`, `issuer`, `scopes`, `exchange`. A header `Authorization` replaces the login.',
        ),
      ),
    timeoutMs: optionalWholeNumber(
      [1, hourMs],
      'Time after which a call without progress is ended.',
      {
        defaultText: '`performance.timeout_seconds`',
      },
    ),
    retryAttempts: wholeNumber([0, 100], 3, 'Retries after a failed start or connection.'),
    retryDelayMs: wholeNumber(
      [0, hourMs],
      1000,
      'Pause before the first retry; it doubles with each.',
    ),
    lazy: flag(true, 'Start it on first use; `false` starts it together with `mcp` and `serve`.'),
    idleStopMs: wholeNumber(
      [0, 24 * hourMs],
      0,
      'Stop it after this time without a call; 0 means never.',
    ),
    maxProcesses: wholeNumber([1, 1000], 1, 'Maximum number of processes of this server.'),
    tools: toolChoice
      .default({ exclude: [] })
      .meta(about('Which of its tools are offered: `include`, `exclude`.', { defaultText: 'all' })),
    trustAnnotations: flag(
      false,
      'Believe what the server says about its tools: read-only, not destructive, idempotent. Otherwise such hints count only where they ask for more care.',
    ),
    cache: resultCache
      .optional()
      .meta(
        about(
          'Keep results of its read-only tools for a while: `ttlMs`, `tools`. Needs `trustAnnotations`, and `maxProcesses` 1.',
          { defaultText: 'nothing is kept' },
        ),
      ),
    onToolChange: z
      .enum(['quarantine', 'warn'])
      .optional()
      .meta(
        about('What happens to tools that it changes or adds after it was first listed.', {
          defaultText: '`servers.on_tool_change`',
        }),
      ),
    prefix: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta(
        about('Prefix for the names of its tools, instead of the key.', { defaultText: 'the key' }),
      ),
    enabled: flag(true, '`false` keeps the entry without using it.'),
    disabled: flag(false, 'The inverse of `enabled`, as used by some clients.'),
  })
  .refine((entry) => (entry.command === undefined) !== (entry.url === undefined), {
    error: 'exactly one of "command" (a program) and "url" (an address)',
  });

/** An entry of `mcpServers` with its defaults and its secrets sealed. */
export type McpServerEntry = Sealed<z.output<typeof mcpServerSettings>>;

export const loginSettings = z
  .strictObject({
    client_metadata_url: httpUrl
      .optional()
      .meta(
        about(
          'URL of a client id metadata document that describes this Tutti; its redirect URIs must include the callback. Used where authorization servers support it, instead of registering.',
          { isAddress: true },
        ),
      ),
    public_url: httpUrl
      .optional()
      .meta(
        about(
          'URL under which browsers reach `tutti serve`: https, or http on this machine. Logins return to `/oauth/callback` below it.',
          { isAddress: true, defaultText: 'the address it listens on' },
        ),
      ),
    timeout_seconds: seconds
      .default(300)
      .meta(about('How long a user has to log in with the browser.')),
  })
  .meta(about('Logins to remote servers.', { isUserOnly: true }));
