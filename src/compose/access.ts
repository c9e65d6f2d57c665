import { readFileSync } from 'node:fs';
import {
  createAccessPolicy,
  createApiKeys,
  createTenants,
  createVerifyJwt,
  Credentials,
  type FetchKeys,
} from '../access/index.ts';
import type { Settings } from '../config/index.ts';
import type { AccessPolicy, ApiKeys, Tenants } from '../contract/access/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import { lazy, systemClock, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { ServedAccess } from './serve-access.ts';

export interface AccessParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly store: Store;
  readonly catalogue: () => Catalogue;
}

/** Who may call, besides the user at this machine. */
export interface AccessHere {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly policy: AccessPolicy;
  readonly credentials: Credentials;
  /** What a listener needs to identify callers. Throws where the settings do not fit together. */
  serving(): Promise<ServedAccess>;
  close(): Promise<void>;
}

export function accessHere(parts: AccessParts): AccessHere {
  const { store, log } = parts;
  let onChange = (): void => {};
  const verifyJwt = lazy(async () => jwtVerifier(parts));
  const credentials = new Credentials({
    store: store.keys,
    clock: systemClock,
    log,
    verifyJwt: async (token) => (await verifyJwt())?.(token),
  });
  const changing = {
    store: store.keys,
    clock: systemClock,
    onChange: async () => {
      await credentials.refresh();
      onChange();
    },
  };
  return {
    keys: createApiKeys(changing),
    tenants: createTenants(changing),
    policy: createAccessPolicy({ ...changing, catalogue: parts.catalogue }),
    credentials,
    serving: async () => {
      const { serveAccess } = await import('./serve-access.ts');
      const hasJwt = (await verifyJwt()) !== undefined;
      const onRevoked = (listener: () => void): void => {
        onChange = listener;
      };
      return serveAccess(parts, { credentials, hasJwt, onRevoked });
    },
    close: () => credentials.close(),
  };
}

const maxKeySetBytes = 262_144;

/** The address is one of the settings, so it may be anywhere. */
const fetchKeys: FetchKeys = async (url, { headers, signal }) => {
  const { fetchChecked } = await import('../http/index.ts');
  const trustedOrigins = [new URL(url).origin];
  const limits = { maxBytes: maxKeySetBytes };
  return fetchChecked(url, { headers, signal, redirect: 'manual', trustedOrigins, limits });
};

function jwtVerifier({ settings: { identity }, log }: AccessParts) {
  const { jwt, resource } = identity;
  const { issuer, jwks_file: file } = jwt;
  if (issuer === undefined) return undefined;
  return createVerifyJwt({
    issuer,
    audience: jwt.audience.length > 0 || resource === undefined ? jwt.audience : [resource],
    algorithms: jwt.algorithms,
    secret: jwt.secret,
    jwksUrl: jwt.jwks_url,
    fetchKeys,
    jwksText: file === undefined ? undefined : readFileSync(file, 'utf8'),
    clockSkewSeconds: jwt.clock_skew_seconds,
    claims: {
      user: jwt.user_claim,
      tenant: jwt.tenant_claim,
      role: jwt.role_claim,
      scope: jwt.scope_claim,
      defaultTenant: jwt.default_tenant,
      defaultRole: jwt.default_role,
      toolPrefix: jwt.tool_prefix,
      defaultTools: jwt.default_tools,
    },
    clock: systemClock,
    log,
  });
}
