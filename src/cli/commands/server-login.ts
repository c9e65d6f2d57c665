import { spawn } from 'node:child_process';
import { localCaller } from '../../contract/caller/index.ts';
import type { LoginStatus } from '../../contract/fleet/index.ts';
import { lookupTable } from '../../kernel/index.ts';
import { type Invocation, withSystem } from '../invocation.ts';
import type { Io } from '../io.ts';
import { singleLine } from '../printable.ts';

/** Running instances may take this long to reconnect. */
const answerLimitMs = 30_000;

/** `servers login NAME`: with a browser on this machine, or the URL for one. */
export async function logIn(invocation: Invocation, name: string): Promise<number> {
  const { io, options, output } = invocation;
  const mayOpen = options['browser'] !== false;
  const login = await withSystem(invocation, {}, ({ fleet }) => {
    const onUrl = (url: string): void => {
      output.note(`Log in to "${name}" with a browser on this machine:\n${url}`);
      if (mayOpen) openBrowser(url, io);
    };
    const request = { caller: localCaller, onUrl, signal: io.signal };
    return output.during('Waiting for the browser', fleet.login(name, request));
  });
  output.result({ name, ...login }, () => `Logged in to "${name}": ${describeLogin(login)}`);
  await reconnect(invocation, name);
  return 0;
}

/** `servers logout NAME`: the tokens are gone here, and no longer valid where the authority can do that. */
export async function logOut(invocation: Invocation, name: string): Promise<number> {
  const { output } = invocation;
  const report = await withSystem(invocation, {}, ({ fleet }) => fleet.logout(name, localCaller));
  output.result({ name, ...report }, () =>
    report.isDone ? `Logged out of "${name}".` : `There was no login to "${name}".`,
  );
  if (report.isDone && !report.isRevoked) {
    output.note(
      'The authorization server did not confirm that it revoked the tokens; they were deleted here.',
    );
  }
  return 0;
}

/** As whom, for what and how long. */
export function describeLogin(login: LoginStatus): string {
  const { state, account, issuer, scopes, expiresAt, isRenewable } = login;
  if (state === 'needed') return 'login needed';
  const host = issuer === null ? '' : ` at ${URL.parse(issuer)?.host ?? 'an unknown address'}`;
  const ends = isRenewable ? 'renewed by itself' : `until ${expiresAt}`;
  return [
    `${state === 'active' ? 'logged in' : `login ${state}`}${account === null ? '' : ` as ${singleLine(account)}`}${host}`,
    ...(scopes.length > 0 ? [`scopes ${singleLine(scopes.join(' '))}`] : []),
    ...(state === 'active' && (isRenewable || expiresAt !== null) ? [ends] : []),
  ].join(', ');
}

/** Instances that were refused for want of a login connect now, and list what the server has. */
async function reconnect({ io, flags }: Invocation, name: string): Promise<void> {
  const { restartEverywhere } = await io.compose();
  const request = { flags, env: io.env, cwd: io.cwd };
  await restartEverywhere(request, name, answerLimitMs).catch(() => {});
}

/** What opens a URL in the user's browser, by platform. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = lookupTable({
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
});

/** Without a shell. The URL begins with http, so it is never taken for an option; without an opener it was printed. */
function openBrowser(url: string, { env }: Io): void {
  if (!/^https?:\/\//.test(url)) return;
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], {
    detached: true,
    stdio: 'ignore',
    env: { ...env },
    shell: false,
  });
  child.on('error', () => {});
  child.unref();
}
