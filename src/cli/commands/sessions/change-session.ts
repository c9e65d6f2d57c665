import { localCaller } from '../../../contract/caller/index.ts';
import { UsageError } from '../../errors.ts';
import { textOption, withSystem, type Invocation } from '../../invocation.ts';

export function forkSession(invocation: Invocation, [id = '']: readonly string[]): Promise<number> {
  const turn = textOption(invocation, 'turn');
  if (turn !== undefined && !/^\d{1,9}$/.test(turn)) {
    throw new UsageError(`--turn wants the number of a turn, and got "${turn}"`);
  }
  const options = turn === undefined ? {} : { upToTurn: Number(turn) };
  return withSystem(invocation, {}, async ({ memory }) => {
    const forked = await memory.sessions.fork(localCaller, id, options);
    invocation.output.result(
      forked,
      () =>
        `Session ${forked.id} has the first ${forked.turns === 1 ? 'turn' : `${forked.turns} turns`}. Go on with it: tutti chat --session ${forked.id}`,
    );
    return 0;
  });
}

export function renameSession(
  invocation: Invocation,
  [id = '', ...words]: readonly string[],
): Promise<number> {
  return withSystem(invocation, {}, async ({ memory }) => {
    const session = await memory.sessions.open(localCaller, id);
    try {
      await session.rename(words.join(' '));
      const { title } = session.current();
      invocation.output.result(
        { id: session.id, title },
        () => `Session ${session.id} is called "${title}"`,
      );
    } finally {
      await session.close();
    }
    return 0;
  });
}

export function removeSession(
  invocation: Invocation,
  [id = '']: readonly string[],
): Promise<number> {
  return withSystem(invocation, {}, async ({ memory }) => {
    const { id: exact, title } = await memory.sessions.show(localCaller, id);
    await memory.sessions.remove(localCaller, exact);
    invocation.output.result(
      { id: exact, isRemoved: true },
      () => `Session ${exact} "${title}" was removed, with its file`,
    );
    return 0;
  });
}
