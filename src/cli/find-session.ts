import { localCaller } from '../contract/caller/index.ts';
import type { Session } from '../contract/session/index.ts';
import type { System } from '../compose/index.ts';
import type { Invocation } from './invocation.ts';

/**
 * The session that is meant by an id, a beginning of one or `last`, which is the last of this folder: where a later one
 * belongs to another folder, a note says so.
 */
export async function findSession(
  { output }: Invocation,
  { memory: { sessions } }: Pick<System, 'memory'>,
  id: string,
): Promise<Session> {
  const session = await sessions.show(localCaller, id);
  const [latest] = id === 'last' ? await sessions.list(localCaller, { limit: 1 }) : [];
  if (latest && latest.id !== session.id && latest.updatedAt > session.updatedAt) {
    const { folder = 'no folder' } = latest;
    output.note(`There is a later session elsewhere: ${latest.id} "${latest.title}" in ${folder}`);
  }
  return session;
}
