import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  dynamicClientRegistrationRequest,
  None,
  processDynamicClientRegistrationResponse,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
} from 'oauth4webapi';
import { Secret } from '../../kernel/index.ts';
import type { Authority } from './discover-authority.ts';
import { LoginFailedError } from './errors.ts';
import { checkedUrl } from './fetch-in-zone.ts';

/** How we are known to an authorization server. */
export interface LoginClient {
  readonly id: string;
  readonly secret?: Secret | undefined;
  /** `client_secret_basic`, `client_secret_post`; `none` for a public client. */
  readonly method: string;
}

export interface ClientChoice {
  readonly server: string;
  readonly authority: Authority;
  readonly redirectUri: string;
  /** From the entry. */
  readonly configured?: { readonly id: string; readonly secret?: Secret | undefined } | undefined;
  /** URL of our client id metadata document. */
  readonly metadataUrl?: string | undefined;
  /** Registered at this issuer for this redirect URI before. */
  readonly known?: LoginClient | undefined;
  readonly fetch: OAuthFetch;
  readonly signal?: AbortSignal | undefined;
}

/** The part of `fetch` that the OAuth library uses. */
export type OAuthFetch = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string | Uint8Array | URLSearchParams | null | undefined;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Response>;

/**
 * The client of the entry, else our client id metadata document, else dynamic registration (RFC 7591).
 *
 * A client id that is the same everywhere lets one authorization server present the consent page of another as its
 * own. So the document is used only where responses name their issuer (RFC 9207), which exposes that.
 */
export async function chooseClient(choice: ClientChoice): Promise<LoginClient> {
  const { server, authority, configured, metadataUrl, known } = choice;
  const { metadata } = authority;
  if (configured) {
    const { id, secret } = configured;
    return { id, secret, method: secret ? secretMethod(metadata) : 'none' };
  }
  const takesDocuments =
    metadata.client_id_metadata_document_supported === true &&
    metadata.authorization_response_iss_parameter_supported === true;
  if (metadataUrl !== undefined && takesDocuments) {
    return { id: checkedUrl(metadataUrl).href, method: 'none' };
  }
  if (known) return known;
  if (metadata.registration_endpoint !== undefined) return register(choice);
  throw new LoginFailedError(
    server,
    `${new URL(authority.issuer).host} does not register clients by itself. Register Tutti there with the redirect URI ${choice.redirectUri} and set login.clientId in the entry`,
  );
}

async function register(choice: ClientChoice): Promise<LoginClient> {
  const { server, authority, redirectUri, fetch, signal } = choice;
  const isNative = redirectUri.startsWith('http:');
  try {
    const response = await dynamicClientRegistrationRequest(
      authority.metadata,
      {
        client_name: 'Tutti',
        application_type: isNative ? 'native' : 'web',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      { ...requestOptions(fetch), ...(signal && { signal }) },
    );
    const client = await processDynamicClientRegistrationResponse(response);
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = client;
    return {
      id,
      ...(typeof secret === 'string' && { secret: new Secret(secret) }),
      method: typeof method === 'string' ? method : secret ? 'client_secret_basic' : 'none',
    };
  } catch (error) {
    signal?.throwIfAborted();
    throw new LoginFailedError(
      server,
      `${new URL(authority.issuer).host} did not register Tutti as a client${codeOf(error)}. Register it there with the redirect URI ${redirectUri} and set login.clientId in the entry`,
    );
  }
}

/** Options of every request of the OAuth library. Plain http is allowed here, because `fetchInZone` decides on it. */
export function requestOptions(fetch: OAuthFetch) {
  return { [customFetch]: fetch, [allowInsecureRequests]: true };
}

export function clientOf({ id }: LoginClient): Client {
  return { client_id: id };
}

export function authenticationOf({ secret, method }: LoginClient): ClientAuth {
  if (!secret || method === 'none') return None();
  return method === 'client_secret_post'
    ? ClientSecretPost(secret.reveal())
    : ClientSecretBasic(secret.reveal());
}

function secretMethod({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer) {
  const isPostOnly =
    methods?.includes('client_secret_basic') === false && methods.includes('client_secret_post');
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic';
}

/** The OAuth error code of a failed request; nothing else of it may be shown. */
export function codeOf(error: unknown): string {
  const { error: code } = Object(error);
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : '';
}
