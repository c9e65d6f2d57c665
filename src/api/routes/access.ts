import { z } from 'zod';
import { roles, type ApiKeys, type AuditLog } from '../../contract/access/index.ts';
import { type ApiRoute, booleanParam, byId, routesOf } from '../define-route.ts';
import { NotAvailableError } from '../errors.ts';
import { pageAfter, pageOf, pageQuery, pageSize, readNumberCursor, writeCursor } from '../page.ts';
import type { ApiPorts } from '../ports.ts';

const keys = routesOf('Keys');
const audit = routesOf('Audit');

const maxGraceSeconds = 7 * 24 * 3_600;
const maxScopes = 100;
const scope = z.string().min(1).max(200);

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('The first characters of the secret.'),
  callerId: z.string(),
  tenant: z.string(),
  role: z.enum(roles),
  scopes: z.array(z.string()).nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
const keyWithSecret = z.object({
  key: keySchema,
  secret: z.string().describe('Shown once: it is stored as a digest.'),
});

const entrySchema = z.object({
  number: z.int(),
  at: z.string(),
  callerId: z.string().nullable(),
  tenant: z.string().nullable(),
  credential: z.string().nullable(),
  action: z.string(),
  target: z.string(),
  isAllowed: z.boolean(),
  rule: z.string(),
  face: z.enum(['rest', 'mcp', 'cli', 'run']),
  argumentsDigest: z.string().nullable(),
  address: z.string().nullable(),
  traceId: z.string().nullable(),
  previousDigest: z.string(),
  digest: z.string(),
});

const keyRoutes: readonly ApiRoute[] = [
  keys.get('/keys', {
    summary: 'List the API keys of the tenant',
    permission: 'keys.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(keySchema),
    async handle({ caller, query }, ports) {
      const keys = await keysOf(ports).list(caller);
      return pageAfter(keys, query, ({ id }) => id);
    },
  }),
  keys.post('/keys', {
    summary: 'Create an API key',
    description:
      'A caller grants at most its own role. The secret is in this answer and nowhere else.',
    permission: 'keys.manage',
    status: 201,
    isSecret: true,
    body: z.strictObject({
      name: z.string().min(1).max(100),
      user: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('Whose key it is; the name unless given.'),
      tenant: z.string().min(1).max(100).optional(),
      role: z.enum(roles),
      scopes: z
        .array(scope)
        .max(maxScopes)
        .optional()
        .describe('Tools, as globs over `server.tool`.'),
      expiresAt: z.iso.datetime({ offset: true }).optional(),
    }),
    answer: keyWithSecret,
    async handle({ caller, body }, ports) {
      const { name, role, user, tenant, scopes, expiresAt } = body;
      const created = await keysOf(ports).create(caller, {
        name,
        role,
        ...(user !== undefined && { user }),
        ...(tenant !== undefined && { tenant }),
        ...(scopes !== undefined && { scopes }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      return { key: created.key, secret: created.secret };
    },
  }),
  keys.post('/keys/{id}/rotate', {
    summary: 'Give a key a new secret',
    permission: 'keys.manage',
    isSecret: true,
    params: byId,
    body: z.strictObject({
      graceSeconds: z
        .int()
        .min(0)
        .max(maxGraceSeconds)
        .default(0)
        .describe('How long the old secret stays valid.'),
    }),
    answer: keyWithSecret,
    handle: async ({ caller, params, body }, ports) =>
      keysOf(ports).rotate(caller, params.id, body),
  }),
  keys.remove('/keys/{id}', {
    summary: 'Revoke a key at once',
    permission: 'keys.manage',
    params: byId,
    answer: keySchema,
    handle: async ({ caller, params }, ports) => keysOf(ports).revoke(caller, params.id),
  }),
];

export const accessRoutes: readonly ApiRoute[] = [
  ...keyRoutes,
  audit.get('/audit', {
    summary: 'List what was allowed and refused, oldest first',
    permission: 'audit.read',
    query: z.strictObject({
      ...pageQuery,
      isAllowed: booleanParam.optional(),
      callerId: z.string().min(1).max(300).optional(),
    }),
    answer: pageOf(entrySchema),
    async handle({ caller, query }, ports) {
      const { isAllowed, callerId, cursor } = query;
      const limit = pageSize(query);
      const entries = await auditOf(ports).list(caller, {
        limit: limit + 1,
        ...(cursor !== undefined && { after: readNumberCursor(cursor) }),
        ...(isAllowed !== undefined && { isAllowed }),
        ...(callerId !== undefined && { callerId }),
      });
      const items = entries.slice(0, limit);
      const last = entries.length > limit ? items.at(-1) : undefined;
      return { items, nextCursor: last ? writeCursor(String(last.number)) : null };
    },
  }),
  audit.post('/audit/verify', {
    summary: 'Check that nothing in the audit log was changed, removed or reordered',
    permission: 'audit.read',
    repeat: 'safe',
    answer: z.object({
      entries: z.int(),
      isIntact: z.boolean(),
      problem: z.object({ number: z.int(), message: z.string() }).optional(),
    }),
    handle: async (_call, ports) => ({ ...(await auditOf(ports).verify()) }),
  }),
];

function keysOf({ keys }: ApiPorts): ApiKeys {
  if (!keys) throw new NotAvailableError('API keys');
  return keys;
}

function auditOf({ audit }: ApiPorts): AuditLog {
  if (!audit) throw new NotAvailableError('audit log');
  return audit;
}
