import { z } from 'zod';
import { secretText } from './scalars.ts';
import { about } from './traits.ts';

const maxRequestBytesLimit = 104_857_600;
const maxPinnedTools = 200;

export const serverSettings = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(200)
      .default('Tutti')
      .meta(about('Server name reported to MCP clients.')),
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .meta(
        about(
          'Address `tutti serve` listens on. Anything but a loopback address needs `server.auth_token`.',
          { flag: 'tutti serve --host' },
        ),
      ),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(8004)
      .meta(
        about('Port `tutti serve` listens on; 0 picks a free one.', { flag: 'tutti serve --port' }),
      ),
    auth_token: secretText
      .optional()
      .meta(
        about(
          'Token that clients must send as `Authorization: Bearer …`. If not set, `tutti serve` makes one at its first start and keeps it in `serve-token` in `home`.',
        ),
      ),
    require_token: z
      .boolean()
      .default(true)
      .meta(
        about(
          'Whether `tutti serve` needs a token on a loopback address. Without one every user of this machine can call the tools with your rights; for clients that cannot send headers.',
        ),
      ),
    allowed_hosts: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about('Names accepted in the `Host` header, in addition to loopback names and `host`.'),
      ),
    allowed_origins: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about('Web origins that may call the server (`Origin` header), in addition to its own.'),
      ),
    max_request_bytes: z
      .int()
      .min(1024)
      .max(maxRequestBytesLimit)
      .default(10_485_760)
      .meta(about('Maximum size of a request body; larger ones are rejected with 413.')),
    compact: z
      .enum(['auto', 'on', 'off'])
      .default('auto')
      .meta(
        about(
          'Whether clients see a few tools that find and call the others, in place of all. `auto`: `tutti mcp` does ' +
            'above 50 tools; `on`: always, `tutti serve` too.',
          { flag: 'tutti mcp|serve --compact|--all' },
        ),
      ),
    pinned_tools: z
      .array(z.string().min(1))
      .max(maxPinnedTools)
      .default([])
      .meta(about('Tools that are also listed in compact mode: `server.tool` or `server__tool`.')),
  })
  .meta(about('The server that `tutti serve` and `tutti mcp` start.', { isUserOnly: true }));
