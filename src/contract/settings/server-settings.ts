import { z } from 'zod';
import { rateLimitSettings } from './identity-settings.ts';
import {
  about,
  choice,
  flag,
  httpUrl,
  seconds,
  secretOrEmptyText,
  secretText,
  sizeText,
  wholeNumber,
} from './traits.ts';

const maxRequestBytesLimit = 104_857_600;
const maxPinnedTools = 200;
const maxBaggageKeys = 64;

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
          'Address `tutti serve` listens on. Anything but a loopback address needs `server.auth_token`, an API key or `identity.jwt`.',
          { flag: 'tutti serve --host' },
        ),
      ),
    port: wholeNumber([0, 65_535], 8004, 'Port `tutti serve` listens on; 0 picks a free one.', {
      flag: 'tutti serve --port',
    }),
    auth_token: secretText
      .optional()
      .meta(
        about(
          'Token that clients must send as `Authorization: Bearer …`. If not set, `tutti serve` makes one at its first start and keeps it in `serve-token` in `home`.',
        ),
      ),
    require_token: flag(
      true,
      'Whether `tutti serve` needs a token on a loopback address. Without one every user of this machine can call the tools with your rights; for clients that cannot send headers.',
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
    max_request_bytes: wholeNumber(
      [1024, maxRequestBytesLimit],
      10_485_760,
      'Maximum size of a request body; larger ones are rejected with 413.',
    ),
    max_connections: wholeNumber(
      [10, 100_000],
      2_000,
      'Maximum open connections; event streams hold one each. Beyond it the connection idle longest is closed for a new one.',
    ),
    max_connections_per_address: wholeNumber(
      [1, 100_000],
      1_500,
      'The same for the connections of one address, which may be a proxy.',
    ),
    min_protocol_version: choice(
      ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
      '2024-11-05',
      'Oldest MCP version that clients may speak; older ones get an error that names it. The client chooses the version, so this is what prevents a downgrade.',
    ),
    compact: choice(
      ['auto', 'on', 'off'],
      'auto',
      'Whether clients see a few tools that find and call the others, in place of all. `auto`: `tutti mcp` does ' +
        'above 60 tools; `on`: always, `tutti serve` too.',
      { flag: 'tutti mcp|serve --compact|--all' },
    ),
    pinned_tools: z
      .array(z.string().min(1))
      .max(maxPinnedTools)
      .default([])
      .meta(about('Tools that are also listed in compact mode: `server.tool` or `server__tool`.')),
    max_calls: wholeNumber(
      [1, 100_000],
      1_000,
      'Calls over HTTP that run at the same time, of all callers; one tenant has at most four fifths of them, several have equal shares, and some slots stay free for others. Beyond it: 429 with `Retry-After`.',
    ),
    max_memory: sizeText
      .optional()
      .meta(
        about(
          'Resident memory of the process above which only a few calls run at the same time; further ones get 429 with `Retry-After`.',
          { defaultText: '80 % of the memory of the container, or of the machine' },
        ),
      ),
    drain_seconds: seconds
      .default(30)
      .meta(
        about(
          'Time that SIGTERM, Ctrl-C and `tutti instances drain` give running calls, before the instance ends.',
        ),
      ),
    session_hours: wholeNumber(
      [1, 8_760],
      168,
      'Time until the session of an MCP client over HTTP (2025-11-25 and before) expires and the client has to open another one.',
    ),
    rate_limit: rateLimitSettings,
  })
  .meta(about('The server that `tutti serve` and `tutti mcp` start.', { isUserOnly: true }));

export const performanceSettings = z
  .strictObject({
    max_concurrent_requests: wholeNumber(
      [1, 1000],
      5,
      'Maximum concurrent calls of built-in tools; further calls wait. Other servers have their own limits.',
    ),
    max_waiting_requests: wholeNumber(
      [0, 1_000_000],
      1000,
      'Maximum number of waiting tool calls; further calls are rejected as too busy.',
    ),
    timeout_seconds: seconds.default(60).meta(about('Time limit of a tool call, in seconds.')),
  })
  .meta(about('How much happens at once, and for how long.'));

export const loggingSettings = z
  .strictObject({
    level: choice(
      ['debug', 'info', 'warn', 'error', 'silent'],
      'info',
      'Minimum level of log lines.',
      {
        flag: '--log-level',
        isUserOnly: false,
      },
    ),
    format: choice(['json'], 'json', 'One JSON object per line.'),
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
    backup_count: wholeNumber([0, 1000], 5, 'Number of rotated log files to keep.'),
  })
  .meta(about('The log.', { isUserOnly: true }));

export const auditSettings = z
  .strictObject({
    enabled: flag(
      true,
      'Record every decision: calls, approvals, refusals, changes of servers and keys. See `tutti audit`.',
    ),
    keep_days: wholeNumber([1, 3650], 365, 'Days that entries are kept.'),
    max_entries: wholeNumber(
      [1_000, 1_000_000_000],
      2_000_000,
      'Entries that are kept, about 600 bytes each.',
    ),
  })
  .meta(about('The audit log.', { isUserOnly: true }));

export const tracingSettings = z
  .strictObject({
    enabled: flag(true, 'Record a trace of every tool call, for `tutti trace`.'),
    keep_days: wholeNumber([1, 3650], 14, 'Days that traces are kept.'),
    otlp_endpoint: httpUrl
      .optional()
      .meta(about('OTLP/HTTP endpoint to export traces to, e.g. `http://localhost:4318`.')),
    otlp_headers: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(about('Headers for the OTLP endpoint, e.g. an API key.')),
    baggage_keys: z
      .array(z.string().min(1).max(256))
      .max(maxBaggageKeys)
      .default([])
      .meta(
        about(
          'Keys of W3C `baggage` that are passed from clients to tools and servers; all others are dropped, and all of it above 2,048 characters.',
        ),
      ),
  })
  .meta(about('OpenTelemetry traces.', { isUserOnly: true }));
