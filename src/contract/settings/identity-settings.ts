import { z } from 'zod';
import { roles } from '../access/index.ts';
import { about, choice, httpUrl, optionalText, secretText, wholeNumber } from './traits.ts';

const algorithms = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const text = (value: string, description: string) =>
  z.string().min(1).max(200).default(value).meta(about(description));

const texts = (value: string[], description: string) =>
  z.array(z.string().min(1).max(200)).max(100).default(value).meta(about(description));

const jwtSettings = z
  .strictObject({
    issuer: optionalText(
      'Issuer whose tokens are accepted: `iss` must be exactly this. Without it no JWT is accepted.',
    ),
    audience: texts(
      [],
      'Audiences that tokens may be made for: one of them must be in `aud`. If empty, `identity.resource`.',
    ),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .default(['RS256'])
      .meta(
        about(
          'Signature algorithms that are accepted, whatever the header of a token says. With `secret`: HS256, HS384, HS512.',
        ),
      ),
    secret: secretText
      .optional()
      .meta(about('Key shared with the issuer, at least 32 bytes.', { isSecret: true })),
    jwks_url: httpUrl
      .optional()
      .meta(about('Address of the public keys of the issuer (https, or on this machine).')),
    jwks_file: z
      .string()
      .min(1)
      .optional()
      .meta(about('File with the public keys of the issuer (a JWKS).', { isPath: true })),
    clock_skew_seconds: wholeNumber(
      [0, 300],
      30,
      'How far the clock of the issuer may differ, for `exp` and `nbf`.',
    ),
    user_claim: text('sub', 'Claim with the name of the user.'),
    tenant_claim: text('tenant', 'Claim with the tenant.'),
    default_tenant: optionalText(
      'Tenant of tokens without that claim. If not set, they are refused.',
    ),
    role_claim: text(
      'role',
      'Claim with the role, or a list of roles of which the highest counts.',
    ),
    default_role: choice(roles, 'viewer', 'Role of tokens without that claim.'),
    scope_claim: text('scope', 'Claim with the scopes, as a list or separated by spaces.'),
    tool_prefix: text('tool:', 'Scopes that begin with this allow tools: `tool:code.*`.'),
    default_tools: texts(['*'], 'Tools of tokens without such a scope; empty for none.'),
  })
  .meta(about('Tokens of an identity provider (JWT).', { isUserOnly: true }));

export const identitySettings = z
  .strictObject({
    resource: httpUrl
      .optional()
      .meta(
        about(
          'Address of this server as clients know it, e.g. `https://tutti.example/mcp`. Tokens must be made for it (`aud`).',
        ),
      ),
    authorization_servers: z
      .array(httpUrl)
      .max(10)
      .default([])
      .meta(
        about(
          'Authorization servers that OAuth clients are sent to. If empty, `identity.jwt.issuer` where it is an address.',
        ),
      ),
    scopes: texts(['tool:*'], 'Scopes that OAuth clients should ask for.'),
    jwt: jwtSettings,
  })
  .meta(about('Who may call over HTTP, besides the user at this machine.', { isUserOnly: true }));

export const rateLimitSettings = z
  .strictObject({
    per_second: wholeNumber(
      [1, 1_000_000],
      100,
      'Requests per second of an API key or token, and of a caller with all of them.',
    ),
    burst: wholeNumber([1, 1_000_000], 400, 'Requests at once, above that.'),
    address_per_second: wholeNumber(
      [1, 1_000_000],
      1000,
      'Requests per second of all callers at one address.',
    ),
    address_burst: wholeNumber([1, 1_000_000], 4000, 'Requests at once, above that.'),
    max_in_flight: wholeNumber(
      [1, 100_000],
      200,
      'Requests of one caller that run at the same time, streams included.',
    ),
    failed_logins_per_minute: wholeNumber(
      [1, 100_000],
      30,
      'Tokens from one address that are not accepted before unknown ones are refused unread.',
    ),
  })
  .meta(
    about('How much callers other than the user at this machine may ask for. Beyond it: 429.', {
      isUserOnly: true,
    }),
  );
