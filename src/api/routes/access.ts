import { z } from 'zod';
import {
  roles,
  type AccessPolicy,
  type ApiKeys,
  type AuditLog,
  type Tenants,
} from '../../contract/access/index.ts';
import { type ApiRoute, booleanParam, byId, byName, idParam, routesOf } from '../define-route.ts';
import { NotAvailableError } from '../errors.ts';
import { pageAfter, pageOf, pageQuery, pageSize, readNumberCursor, writeCursor } from '../page.ts';
import type { ApiPorts } from '../ports.ts';

const keys = routesOf('Keys');
const audit = routesOf('Audit');
const access = routesOf('Access');

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
  disabledAt: z.string().optional().describe('Switched off since then.'),
});

const tenantSchema = z.object({
  name: z.string(),
  keys: z.int().describe('Keys that were neither revoked nor have expired.'),
  disabledAt: z.string().nullable().describe('Switched off since then.'),
});

const switchBody = z.strictObject({ enabled: z.boolean() });
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
  keys.post('/keys/{id}/enable', {
    summary: 'Switch a key off at once, or on again',
    permission: 'tenants.manage',
    repeat: 'safe',
    params: byId,
    body: switchBody,
    answer: keySchema,
    handle: async ({ caller, params, body }, ports) =>
      keysOf(ports).setDisabled(caller, params.id, !body.enabled),
  }),
];

const tenantRoutes: readonly ApiRoute[] = [
  access.get('/tenants', {
    summary: 'List the tenants',
    description: 'A caller with a role sees its own.',
    permission: 'keys.read',
    answer: z.object({ items: z.array(tenantSchema) }),
    handle: async ({ caller }, ports) => ({ items: await tenantsOf(ports).list(caller) }),
  }),
  access.post('/tenants/{name}/enable', {
    summary: 'Switch every credential of a tenant off at once, or on again',
    description: 'A caller with a role switches its own, and is locked out by that.',
    permission: 'tenants.manage',
    repeat: 'safe',
    params: byName,
    body: switchBody,
    answer: tenantSchema,
    handle: async ({ caller, params, body }, ports) =>
      tenantsOf(ports).setDisabled(caller, params.name, !body.enabled),
  }),
  access.get('/access/explain', {
    summary: 'Say whether a caller may call a tool, and by which rule; calls nothing',
    permission: 'access.read',
    query: z.strictObject({
      caller: idParam.describe('A caller, or the id or name of a key.'),
      tool: idParam,
    }),
    answer: z.object({
      items: z.array(
        z.object({
          callerId: z.string(),
          credential: z.string().nullable(),
          tool: z.string(),
          isAllowed: z.boolean(),
          rule: z.string(),
        }),
      ),
    }),
    handle: async ({ caller, query }, ports) => ({
      items: await policyOf(ports).explain(caller, query.caller, query.tool),
    }),
  }),
];

export const accessRoutes: readonly ApiRoute[] = [
  ...keyRoutes,
  ...tenantRoutes,
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

function tenantsOf({ tenants }: ApiPorts): Tenants {
  if (!tenants) throw new NotAvailableError('tenants');
  return tenants;
}

function policyOf({ policy }: ApiPorts): AccessPolicy {
  if (!policy) throw new NotAvailableError('access policy');
  return policy;
}

function auditOf({ audit }: ApiPorts): AuditLog {
  if (!audit) throw new NotAvailableError('audit log');
  return audit;
}
