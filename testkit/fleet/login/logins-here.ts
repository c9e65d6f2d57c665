import { Logins, type LoginsOptions } from '../../../src/fleet/login/logins.ts';
import { fetchInZone, type FetchTerms } from '../../../src/fleet/login/fetch-in-zone.ts';
import { fetchChecked } from '../../../src/http/index.ts';
import { Secret, silentLog } from '../../../src/kernel/index.ts';
import { Browser } from './a-browser.ts';
import { aProtectedServer, type ProtectedServerOptions } from './a-protected-server.ts';
import { anAuthority, type AuthorityOptions } from './an-authority.ts';
import { createMemoryLoginStore } from './memory-login-store.ts';

/** The fetch of a server in a network. */
export function zoneFetch(terms: FetchTerms): ReturnType<typeof fetchInZone> {
  return fetchInZone(fetchChecked, terms);
}

export function aLogins(options: Partial<LoginsOptions> = {}): Logins {
  return new Logins({
    store: createMemoryLoginStore(),
    fetch: fetchChecked,
    secrets: () => [new Secret('a key for tests that is long enough')],
    callbackBase: () => undefined,
    limitMs: 10_000,
    clock: { now: () => Date.now() },
    log: silentLog,
    ...options,
  });
}

/** An authority, a server that trusts it, and the entry of that server. */
export async function aProtectedPlace(
  options: AuthorityOptions = {},
  more: Partial<ProtectedServerOptions> = {},
) {
  const authority = await anAuthority(options);
  const server = await aProtectedServer({ authority, ...more });
  return {
    authority,
    server,
    target: { server: 'notes', url: server.url },
    close: async (): Promise<void> => {
      await server.close();
      await authority.close();
    },
  };
}

/** Logs `account` in for a caller, with a browser on this machine. */
export async function logInAs(
  logins: Logins,
  target: Parameters<Logins['login']>[0],
  { callerId = 'local', account = callerId }: { callerId?: string; account?: string } = {},
): Promise<Awaited<ReturnType<Logins['login']>>> {
  const { signal } = new AbortController();
  const onUrl = (url: string): void => void new Browser(account).visit(url).catch(() => {});
  return logins.login(target, { caller: { id: callerId }, onUrl, signal });
}
