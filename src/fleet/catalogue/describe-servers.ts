import type { Member } from './member.ts';

const maxLengthPerServer = 1_000;
const maxLength = 8_000;
const aboutCodeTools =
  'Code tools take "code" (the text) or "path" (a file, folder or glob inside the allowed roots) ' +
  'and never change a file.';

/** What a client's model reads about the servers before it uses any: ours, then what others say of themselves. */
export function describeServers(members: readonly Member[]): string {
  const names = members.map(({ name }) => name);
  const own = [
    `Tools of these servers: ${names.join(', ')}.`,
    ...(names.includes('code') ? [aboutCodeTools] : []),
  ].join(' ');
  const theirs = members.flatMap(({ name, listing, options }) => {
    const text = listing?.instructions?.trim() ?? '';
    if (options.source === 'built-in' || text === '') return [];
    return [`${name}: ${shortened(text, maxLengthPerServer)}`];
  });
  return shortened([own, ...theirs].join('\n\n'), maxLength);
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
