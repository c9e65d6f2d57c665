import {
  roles,
  type ApiKey,
  type ApiKeys,
  type NewApiKey,
  type Tenant,
} from '../../contract/access/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { lookupTable, pluralize } from '../../kernel/index.ts';
import { UnknownNameError, UsageError } from '../errors.ts';
import { textOption, textsOf, withSystem, type Invocation } from '../invocation.ts';
import { formatColumns, timeShower, type ShowTime } from '../output.ts';
import { actionsOf } from '../run-action.ts';

/** All mean the same: people try each of them. */
const toolOptions = ['tool', 'tools', 'scope'];

export const run = actionsOf('keys', {
  list: { run: listKeys, takes: [], options: [] },
  create: {
    run: createKey,
    takes: ['NAME'],
    options: ['role', 'tenant', 'user', ...toolOptions, 'expires'],
  },
  rotate: { run: rotateKey, takes: ['KEY'], options: ['grace'] },
  revoke: { run: revokeKey, takes: ['KEY'], options: [] },
  disable: { run: (...given) => switchKey(...given, true), takes: ['KEY'], options: [] },
  enable: { run: (...given) => switchKey(...given, false), takes: ['KEY'], options: [] },
  tenants: { run: listTenants, takes: [], options: [] },
  'disable-tenant': {
    run: (...given) => switchTenant(...given, true),
    takes: ['NAME'],
    options: [],
  },
  'enable-tenant': {
    run: (...given) => switchTenant(...given, false),
    takes: ['NAME'],
    options: [],
  },
});

function listKeys(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ keys }) => {
    const all = await keys.list(localCaller);
    invocation.output.result(all, () =>
      all.length === 0
        ? 'There are no API keys: "tutti keys create NAME" makes one'
        : formatColumns(all.map((key) => row(key, timeShower(invocation.io)))),
    );
    return 0;
  });
}

function row(key: ApiKey, showTime: ShowTime): readonly string[] {
  const { id, name, prefix, callerId, role, scopes, lastUsedAt } = key;
  return [
    id,
    name,
    `${prefix}…`,
    callerId,
    role,
    scopes === null ? 'all tools' : scopes.join(' '),
    keyState(key, showTime),
    lastUsedAt === null ? 'never used' : `used ${showTime(lastUsedAt)}`,
  ];
}

export function keyState({ revokedAt, disabledAt, expiresAt }: ApiKey, showTime: ShowTime): string {
  if (revokedAt !== null) return `revoked ${showTime(revokedAt)}`;
  if (disabledAt !== undefined) return `disabled ${showTime(disabledAt)}`;
  if (expiresAt === null) return 'active';
  const isOver = Date.parse(expiresAt) <= Date.now();
  return `${isOver ? 'expired' : 'active until'} ${showTime(expiresAt)}`;
}

function createKey(invocation: Invocation, [name = '']: readonly string[]): Promise<number> {
  const key = wantedKey(invocation, name);
  return withSystem(invocation, {}, async ({ keys }) => {
    const made = await keys.create(localCaller, key);
    invocation.output.result(made, () => madeText(made, `Key ${made.key.id} was created`));
    return 0;
  });
}

function wantedKey(invocation: Invocation, name: string): NewApiKey {
  const wanted = textOption(invocation, 'role') ?? 'developer';
  const role = roles.find((known) => known === wanted);
  if (role === undefined) throw new UnknownNameError('role', wanted, roles);
  const tenant = textOption(invocation, 'tenant');
  const user = textOption(invocation, 'user');
  const scopes = toolOptions
    .flatMap((option) => textsOf(invocation.options[option]))
    .flatMap((text) => text.split(','))
    .map((pattern) => pattern.trim());
  const expires = textOption(invocation, 'expires');
  return {
    name,
    role,
    ...(tenant !== undefined && { tenant }),
    ...(user !== undefined && { user }),
    ...(scopes.length > 0 && { scopes }),
    ...(expires !== undefined && { expiresAt: expiryText(expires) }),
  };
}

function madeText({ key, secret }: { key: ApiKey; secret: string }, what: string): string {
  const { callerId, role, scopes, expiresAt } = key;
  const tools = scopes === null ? 'all tools' : scopes.join(' ');
  const until = expiresAt === null ? 'it does not expire' : `it expires ${expiresAt}`;
  return [
    `${what}: ${callerId}, ${role}, ${tools}, ${until}.`,
    '',
    `  ${secret}`,
    '',
    'This is shown once. Clients send it as "Authorization: Bearer …".',
  ].join('\n');
}

function rotateKey(invocation: Invocation, [wanted = '']: readonly string[]): Promise<number> {
  const grace = textOption(invocation, 'grace');
  const graceSeconds = grace === undefined ? 0 : durationSeconds(grace, '--grace');
  return withSystem(invocation, {}, async ({ keys }) => {
    const made = await keys.rotate(localCaller, await idOf(keys, wanted), { graceSeconds });
    const old = grace === undefined ? 'the old one has ended' : `the old one ends in ${grace}`;
    invocation.output.result(made, () =>
      madeText(made, `Key ${made.key.id} has a new secret and ${old}`),
    );
    return 0;
  });
}

function revokeKey(invocation: Invocation, [wanted = '']: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ keys }) => {
    const key = await keys.revoke(localCaller, await idOf(keys, wanted));
    invocation.output.result(key, () => `Key ${key.id} "${key.name}" was revoked`);
    return 0;
  });
}

function switchKey(
  invocation: Invocation,
  [wanted = '']: readonly string[],
  isDisabled: boolean,
): Promise<number> {
  return withSystem(invocation, {}, async ({ keys }) => {
    const id = await idOf(keys, wanted);
    const key = await keys.setDisabled(localCaller, id, isDisabled);
    invocation.output.result(
      key,
      () => `Key ${key.id} "${key.name}" was switched ${isDisabled ? 'off' : 'on'}`,
    );
    return 0;
  });
}

function listTenants(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ tenants }) => {
    const all = await tenants.list(localCaller);
    const showTime = timeShower(invocation.io);
    invocation.output.result(all, () =>
      all.length === 0
        ? 'There are no tenants: the first API key makes one'
        : formatColumns(all.map((tenant) => tenantRow(tenant, showTime))),
    );
    return 0;
  });
}

function tenantRow({ name, keys, disabledAt }: Tenant, showTime: ShowTime): readonly string[] {
  const state = disabledAt === null ? 'active' : `disabled ${showTime(disabledAt)}`;
  return [name, pluralize(keys, 'key'), state];
}

function switchTenant(
  invocation: Invocation,
  [name = '']: readonly string[],
  isDisabled: boolean,
): Promise<number> {
  return withSystem(invocation, {}, async ({ tenants }) => {
    const tenant = await tenants.setDisabled(localCaller, name, isDisabled);
    invocation.output.result(
      tenant,
      () => `Tenant ${tenant.name} was switched ${isDisabled ? 'off' : 'on'}`,
    );
    return 0;
  });
}

/** Of the key with this id, or the only one with this name that was not revoked. */
async function idOf(keys: ApiKeys, wanted: string): Promise<string> {
  const all = await keys.list(localCaller);
  const named = all.filter(({ name, revokedAt }) => name === wanted && revokedAt === null);
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ');
    throw new UsageError(`${named.length} keys are called "${wanted}": choose one of ${ids}`);
  }
  return named[0]?.id ?? wanted;
}

const unitSeconds: Readonly<Record<string, number>> = lookupTable({
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
});
const durationPattern = /^(\d{1,6})([smhd])$/;

function durationSeconds(text: string, option: string): number {
  const [, count, unit = ''] = durationPattern.exec(text) ?? [];
  const factor = unitSeconds[unit];
  if (factor === undefined) {
    throw new UsageError(`${option} wants a time such as 30d, 12h or 90s, and got "${text}"`);
  }
  return Number(count) * factor;
}

/** `30d` from now, or the time itself. */
function expiryText(text: string): string {
  if (!durationPattern.test(text)) {
    if (Number.isNaN(Date.parse(text))) {
      throw new UsageError(`--expires wants 30d, 12h or a date, and got "${text}"`);
    }
    return new Date(text).toISOString();
  }
  return new Date(Date.now() + durationSeconds(text, '--expires') * 1_000).toISOString();
}
