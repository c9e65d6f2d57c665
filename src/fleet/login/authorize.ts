import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  genericTokenEndpointRequest,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  validateAuthResponse,
  type AuthorizationServer,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { Secret } from '../../kernel/index.ts';
import {
  authenticationOf,
  clientOf,
  codeOf,
  requestOptions,
  type LoginClient,
  type OAuthFetch,
} from './choose-client.ts';
import type { Authority } from './discover-authority.ts';
import { LoginFailedError } from './errors.ts';
import { checkedUrl } from './fetch-in-zone.ts';
import { readScopes } from './read-challenge.ts';

/** An authorization request that was sent with a browser and not answered yet. */
export interface Authorization {
  readonly server: string;
  readonly authority: Authority;
  readonly client: LoginClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly verifier: Secret;
  /** To be opened in a browser. */
  readonly url: string;
}

/** What the token endpoint granted. */
export interface Grant {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** Undefined when the authority does not say. */
  readonly expiresInMs?: number | undefined;
  /** The granted scopes; undefined: those that were requested. */
  readonly scopes?: readonly string[] | undefined;
  /** Who logged in, in the authority's words. */
  readonly account?: string | undefined;
}

export interface TokenRequest {
  readonly server: string;
  readonly metadata: AuthorizationServer;
  readonly client: LoginClient;
  readonly resource: string;
  readonly fetch: OAuthFetch;
  readonly signal?: AbortSignal | undefined;
}

const maxAccountLength = 100;

/** Makes the URL of an authorization request with PKCE (S256), a state and a resource indicator. */
export async function prepareAuthorization(
  parts: Pick<Authorization, 'server' | 'authority' | 'client' | 'redirectUri' | 'scopes'>,
): Promise<Authorization> {
  const { authority, client, redirectUri } = parts;
  const { metadata, resource } = authority;
  const scopes = withOfflineAccess(parts.scopes, metadata);
  const state = generateRandomState();
  const verifier = generateRandomCodeVerifier();
  const url = checkedUrl(metadata.authorization_endpoint ?? '');
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    // OpenID Connect grants offline access only together with a consent page.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { ...parts, scopes, state, verifier: new Secret(verifier), url: url.href };
}

/** Exchanges the code of an authorization response for tokens. Throws `LoginFailedError`. */
export async function redeemCode(
  authorization: Authorization,
  response: URLSearchParams,
  { fetch, signal }: Pick<TokenRequest, 'fetch' | 'signal'>,
): Promise<Grant> {
  const { server, authority, client, redirectUri, state, verifier } = authorization;
  const { metadata, resource } = authority;
  const registered = clientOf(client);
  return explained(server, metadata, async () => {
    const checked = validateAuthResponse(metadata, registered, response, state);
    const answer = await authorizationCodeGrantRequest(
      metadata,
      registered,
      authenticationOf(client),
      checked,
      redirectUri,
      verifier.reveal(),
      {
        ...requestOptions(fetch),
        ...(signal && { signal }),
        additionalParameters: { resource },
      },
    );
    return grantOf(server, await processAuthorizationCodeResponse(metadata, registered, answer));
  });
}

/** Throws `LoginFailedError`; `RefusedGrantError` when the authority does not accept the refresh token any more. */
export function refreshGrant(request: TokenRequest, refreshToken: Secret): Promise<Grant> {
  const { server, metadata, client, resource, fetch, signal } = request;
  const registered = clientOf(client);
  return explained(server, metadata, async () => {
    const answer = await refreshTokenGrantRequest(
      metadata,
      registered,
      authenticationOf(client),
      refreshToken.reveal(),
      {
        ...requestOptions(fetch),
        ...(signal && { signal }),
        additionalParameters: { resource },
      },
    );
    return grantOf(server, await processRefreshTokenResponse(metadata, registered, answer));
  });
}

export interface SubjectToken {
  readonly token: Secret;
  /** `urn:ietf:params:oauth:token-type:…`. */
  readonly type: string;
  /** Who acts for the subject. */
  readonly actor?: { readonly token: Secret; readonly type?: string | undefined } | undefined;
  readonly audience?: string | undefined;
  readonly scopes: readonly string[];
}

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** Token exchange (RFC 8693): a token of another authority for one of this resource. */
export function exchangeToken(request: TokenRequest, subject: SubjectToken): Promise<Grant> {
  const { server, metadata, client, resource, fetch, signal } = request;
  const registered = clientOf(client);
  return explained(server, metadata, async () => {
    const answer = await genericTokenEndpointRequest(
      metadata,
      registered,
      authenticationOf(client),
      'urn:ietf:params:oauth:grant-type:token-exchange',
      {
        subject_token: subject.token.reveal(),
        subject_token_type: subject.type,
        ...(subject.actor && {
          actor_token: subject.actor.token.reveal(),
          actor_token_type: subject.actor.type ?? accessTokenType,
        }),
        resource,
        ...(subject.audience !== undefined && { audience: subject.audience }),
        ...(subject.scopes.length > 0 && { scope: subject.scopes.join(' ') }),
      },
      { ...requestOptions(fetch), ...(signal && { signal }) },
    );
    return grantOf(server, await processGenericTokenEndpointResponse(metadata, registered, answer));
  });
}

/** Revokes a token (RFC 7009); false when the authority has no endpoint for it or did not accept. */
export async function revokeToken(request: TokenRequest, token: Secret): Promise<boolean> {
  const { metadata, client, fetch, signal } = request;
  if (metadata.revocation_endpoint === undefined) return false;
  try {
    const response = await revocationRequest(
      metadata,
      clientOf(client),
      authenticationOf(client),
      token.reveal(),
      { ...requestOptions(fetch), ...(signal && { signal }) },
    );
    return response.status === 200;
  } catch {
    return false;
  }
}

/** The authority refuses the grant itself: repeating the request is useless. */
export class RefusedGrantError extends LoginFailedError {}

/** Turns errors of the OAuth library into sentences: its own hold codes and tokens. */
async function explained(
  server: string,
  { issuer }: AuthorizationServer,
  work: () => Promise<Grant>,
): Promise<Grant> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LoginFailedError) throw error;
    const { name, message, error: code } = Object(error);
    const { host } = new URL(issuer);
    if (code === 'access_denied') throw new LoginFailedError(server, 'access was denied');
    if (code === 'invalid_grant') {
      throw new RefusedGrantError(server, `${host} does not accept the grant (invalid_grant)`);
    }
    if (typeof code === 'string') {
      throw new LoginFailedError(server, `${host} answered with an error${codeOf(error)}`);
    }
    if (name === 'FetchRefusedError') {
      throw new LoginFailedError(server, String(message), { retryable: true });
    }
    throw new LoginFailedError(server, `${host} sent an invalid response: ${reasonOf(error)}`);
  }
}

/** Messages of the library that name what is wrong without repeating any value. */
const plainReasons: readonly (readonly [RegExp, string])[] = [
  [/"iss"/, 'it is not from the issuer that was asked'],
  [/"state"/, 'its state is not the one that was sent'],
  [/token_type/, 'the type of the token is not supported'],
  [/HTTP status code/, 'unexpected HTTP status'],
  [/JSON/i, 'it is not JSON'],
];

function reasonOf(error: unknown): string {
  const { message } = Object(error);
  const known = plainReasons.find(([pattern]) => pattern.test(String(message)));
  return known?.[1] ?? 'it does not follow OAuth';
}

/** What can be a header; anything else would end the request with an error of the HTTP client. */
const tokenPattern = /^[\x21-\x7e]{1,16384}$/;

function grantOf(server: string, response: TokenEndpointResponse): Grant {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = response;
  if (!tokenPattern.test(access)) throw new LoginFailedError(server, 'its token is not valid');
  // The library accepts DPoP only where it was asked for, so the type is bearer.
  const scopes = response.scope === undefined ? undefined : readScopes(response.scope);
  const account = accountOf(response);
  return {
    accessToken: new Secret(access),
    ...(refresh !== undefined && { refreshToken: new Secret(refresh) }),
    ...(seconds !== undefined && { expiresInMs: seconds * 1_000 }),
    ...(scopes && { scopes }),
    ...(account !== undefined && { account }),
  };
}

function accountOf(response: TokenEndpointResponse): string | undefined {
  const {
    email,
    preferred_username: name,
    sub,
  }: Readonly<Record<string, unknown>> = getValidatedIdTokenClaims(response) ?? {};
  const account = [email, name, sub].find((it) => typeof it === 'string' && it !== '');
  return typeof account === 'string' ? account.slice(0, maxAccountLength) : undefined;
}

/** Without it many authorities grant no refresh token. */
function withOfflineAccess(
  scopes: readonly string[],
  { scopes_supported: supported, grant_types_supported: grants }: AuthorizationServer,
): readonly string[] {
  const isOffered =
    supported?.includes('offline_access') === true && grants?.includes('refresh_token') !== false;
  return isOffered ? [...new Set([...scopes, 'offline_access'])] : scopes;
}
