import type { Settings } from '../config/index.ts';
import type { ServerLaunch } from '../contract/fleet/index.ts';
import { hasLogins, openLogins, type Logins, type Outside } from '../fleet/index.ts';
import type { Route } from '../http/index.ts';
import { lazy, systemClock, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { sealingSecrets } from './data-directory.ts';

interface LoginParts {
  readonly settings: Settings;
  readonly store: Pick<Store, 'logins'>;
  readonly log: Log;
}

/** Logins to remote servers. */
export interface LoginsHere {
  /** Loaded when it is first used. */
  readonly open: () => Promise<Logins>;
  /** For the connection of one caller; undefined where the entry has its own credentials. */
  authorizer(
    request: Parameters<Outside['connect']>[0],
    launch: ServerLaunch,
  ): Promise<ReturnType<Logins['authorizer']> | undefined>;
  /** Where browsers come back; open, because they have no credentials of ours. */
  readonly routes: readonly Route[];
  /** The configured URL of the listener: its host and origin are ours. */
  readonly publicUrls: readonly string[];
  /** The listener is open. */
  servedAt(url: string): void;
  close(): Promise<void>;
}

const secondMs = 1_000;

export function loginsHere({ settings, store, log }: LoginParts): LoginsHere {
  const { login } = settings;
  let served: string | undefined;
  const callbackBase = (): string | undefined =>
    served && (login.public_url ?? served).replace(/\/+$/, '');
  const open = lazy(() =>
    openLogins({
      store: store.logins,
      fetch: async (...given) => (await import('../http/index.ts')).fetchChecked(...given),
      secrets: () => sealingSecrets(settings),
      metadataUrl: login.client_metadata_url,
      callbackBase,
      limitMs: login.timeout_seconds * secondMs,
      clock: systemClock,
      log,
    }),
  );
  return {
    open,
    authorizer: async ({ entry, caller }, launch) => {
      if (launch.transport === 'stdio' || !hasLogins(entry)) return undefined;
      const target = { server: entry.name, url: launch.url, login: launch.login };
      return (await open()).authorizer(caller, target);
    },
    routes: ['/oauth/start', '/oauth/callback'].map((path) => browserRoute(path, open)),
    publicUrls: login.public_url === undefined ? [] : [new URL(login.public_url).origin],
    servedAt: (url) => {
      served = url;
    },
    close: async () => (await open.opened())?.close(),
  };
}

function browserRoute(path: string, open: () => Promise<Logins>): Route {
  return {
    path,
    methods: path.endsWith('start') ? ['GET', 'POST'] : ['GET'],
    access: 'open',
    handle: async ({ request, response }) => {
      const { method = 'GET', url = '', headers } = request;
      const query = new URLSearchParams(url.split('?', 2)[1] ?? '');
      const { cookie } = headers;
      const logins = await open();
      const answer = await logins.answerBrowser({ method, path, query, cookie });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    },
  };
}
