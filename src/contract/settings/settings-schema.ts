import { z } from 'zod';
import {
  agentSettings,
  agentsSettings,
  clarificationSettings,
  conversationSettings,
  planningSettings,
} from './agent-settings.ts';
import { identitySettings } from './identity-settings.ts';
import { loginSettings, mcpServerSettings } from './mcp-server-settings.ts';
import { modelsSettings } from './models-settings.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import {
  auditSettings,
  loggingSettings,
  performanceSettings,
  serverSettings,
  tracingSettings,
} from './server-settings.ts';
import { toolsSettings } from './tools-settings.ts';
import { about, choice, flag, secretText, wholeNumber } from './traits.ts';
import { workflowSettings } from './workflow-settings.ts';

const webhook = z.strictObject({
  name: z.string().regex(/^[\w-]{1,64}$/),
  url: secretText,
  shape: z.enum(['slack', 'pagerduty', 'generic']).default('generic'),
  min_severity: z.enum(['info', 'warning', 'critical']).default('warning'),
  after_seconds: z.int().min(0).max(86_400).default(0),
  routing_key: secretText.optional(),
});

const maxWebhooks = 20;

const alertsSettings = z
  .strictObject({
    enabled: flag(true, 'Watch for the built-in alerts while `tutti serve` runs.'),
    interval_seconds: wholeNumber([5, 3600], 60, 'How often alerts are evaluated, in seconds.'),
    webhooks: z
      .array(webhook)
      .max(maxWebhooks)
      .default([])
      .meta(
        about(
          'Where alerts are sent, each `{name, url, shape, min_severity, after_seconds, routing_key}`: `shape` is `slack`, `pagerduty` or `generic`; with `after_seconds` only what still fires after that time is sent (escalation).',
        ),
      ),
  })
  .meta(about('Built-in alerts.', { isUserOnly: true }));

/** Any printable name other clients use; the one name that JavaScript objects cannot hold is left out. */
const serverName = z
  .string()
  .regex(/^(?!__proto__$)[^\p{Cc}]{1,64}$/u)
  .meta(about('A name.', { expected: 'a name of 1 to 64 printable characters' }));

const maxPreviousKeys = 8;

/** Every setting there is, each with its default and description. Unknown keys are errors. */
export const settingsSchema = z.strictObject({
  home: z
    .string()
    .min(1)
    .meta(
      about('Data directory: the database, the log and all other files that Tutti keeps.', {
        isPath: true,
        isUserOnly: true,
        flag: '--home',
        defaultText:
          '`$XDG_DATA_HOME/tutti` (`~/.local/share/tutti`); macOS `~/Library/Application Support/tutti`; Windows `%LOCALAPPDATA%\\tutti`',
      }),
    ),
  roots: z
    .array(z.string().min(1))
    .min(1)
    .meta(
      about('Folders the tools may access. Paths outside them are rejected.', {
        isPath: true,
        isWithinProject: true,
        flag: '--root',
        defaultText: 'the current folder',
      }),
    ),
  server: serverSettings,
  identity: identitySettings,
  performance: performanceSettings,
  tools: toolsSettings,
  sandbox: sandboxSettings,
  workflow: workflowSettings,
  planning: planningSettings,
  agent: agentSettings,
  agents: agentsSettings,
  clarification: clarificationSettings,
  conversation: conversationSettings,
  logging: loggingSettings,
  tracing: tracingSettings,
  alerts: alertsSettings,
  audit: auditSettings,
  models: modelsSettings,
  database_url: secretText
    .optional()
    .meta(
      about(
        'Address of a PostgreSQL database for teams; without it the database is a file in `home`.',
        { isAddress: true, isUserOnly: true, env: ['MCP_DATABASE_URL'] },
      ),
    ),
  redis_url: secretText.optional().meta(
    about('Address of a Redis server for teams.', {
      isAddress: true,
      isUserOnly: true,
      env: ['MCP_REDIS_URL'],
      isNotUsedYet: true,
    }),
  ),
  secret_key: secretText
    .optional()
    .meta(
      about(
        'Secret from which the keys for stored login tokens and for the session ids of MCP clients are derived: 32 random characters or more. If not set, one is made and kept in `login-key` in `home`.',
        { isUserOnly: true, env: ['MCP_SECRET_KEY'] },
      ),
    ),
  previous_secret_keys: z
    .array(secretText)
    .max(maxPreviousKeys)
    .default([])
    .meta(
      about(
        'Earlier values of `secret_key`: what was encrypted with them can still be read. To change the key of several instances, name the new one here on all of them first.',
        { isUserOnly: true, env: ['MCP_PREVIOUS_SECRET_KEYS'] },
      ),
    ),
  login: loginSettings,
  servers: z
    .strictObject({
      on_tool_change: choice(
        ['quarantine', 'warn'],
        'quarantine',
        'What happens to tools that a server of `mcpServers` changes or adds after it was first listed. `quarantine`: they cannot be called until `tutti servers accept NAME`. `warn`: they are shown as changed.',
      ),
    })
    .meta(about('All servers of `mcpServers`.', { isUserOnly: true })),
  mcpServers: z
    .record(serverName, mcpServerSettings)
    .default({})
    .meta(
      about('Other MCP servers by name, in the format of other MCP clients.', { needsTrust: true }),
    ),
});
