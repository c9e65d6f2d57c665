import type { ShownServer } from '../contract/server-files/index.ts';

/** What a server would run or reach, every word visible: nothing can hide behind control characters. */
export function describeServer(server: ShownServer): string {
  const { name, command, args = [], cwd, env = {}, url, headers = [], given } = server;
  const sets = Object.entries(env).map(([key, value]) => quote(`${key}=${value}`));
  const rows = [
    command === undefined ? undefined : `runs      ${[command, ...args].map(quote).join(' ')}`,
    cwd === undefined ? undefined : `in        ${quote(cwd)}`,
    url === undefined ? undefined : `reaches   ${quote(url)}`,
    sets.length === 0 ? undefined : `sets      ${sets.join(', ')}`,
    headers.length === 0 ? undefined : `sends     ${headers.map(quote).join(', ')}`,
    given.length === 0 ? undefined : `is given  ${given.map(quote).join(', ')}`,
    server.isBelieved ? 'is believed  what it says about its tools (trustAnnotations)' : undefined,
    server.isReplacing ? 'replaces  your own server of this name' : undefined,
  ];
  return [quote(name), ...rows.filter((row) => row !== undefined).map((row) => `  ${row}`)].join(
    '\n',
  );
}

/** As it is when it is plain, else as JSON with every unusual character escaped. */
export function quote(text: string): string {
  if (/^[\w@%+=:,./~${}-]+$/.test(text)) return text;
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
