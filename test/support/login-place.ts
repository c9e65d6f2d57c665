import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { Browser } from '../../testkit/fleet/login/a-browser.ts';
import { aProtectedPlace } from '../../testkit/fleet/login/logins-here.ts';
import type { AuthorityOptions } from '../../testkit/fleet/login/an-authority.ts';
import { aFolder, startTutti, untilEnd, type Ended } from './run-tutti.ts';

/** A folder whose settings name a server behind a login, and that server. */
export async function aPlaceWithLogin(options: AuthorityOptions = {}, entry: object = {}) {
  const place = await aProtectedPlace(options);
  onTestFinished(() => place.close());
  const cwd = aFolder();
  const writeEntry = (more: object): void => {
    mkdirSync(join(cwd, 'tutti'), { recursive: true });
    const mcpServers = { notes: { url: place.server.url, ...entry, ...more } };
    writeFileSync(join(cwd, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  };
  writeEntry({});
  return { ...place, cwd, env: { XDG_CONFIG_HOME: cwd }, writeEntry };
}

/** `tutti servers login notes --no-browser`, with a scripted browser that gets the URL from standard error. */
export async function logInByTerminal(
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  account: string,
): Promise<Ended & { readonly page: string }> {
  const child = startTutti(['servers', 'login', 'notes', '--no-browser'], { cwd, env });
  child.stdin.end();
  const ended = untilEnd(child);
  const visits: Promise<{ readonly text: string }>[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (line.startsWith('http')) visits.push(new Browser(account).visit(line));
  });
  const [outcome, pages] = [await ended, await Promise.all(visits)];
  return { ...outcome, page: pages[0]?.text ?? '' };
}

/** Every byte below a folder, as text: what is searched for secrets. */
export function everythingBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
