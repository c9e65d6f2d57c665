import { AppError } from '../../../src/kernel/index.ts';
import type { Params } from '../../../src/protocol/index.ts';
import type { ScriptedServer } from './scripted-server.ts';

/** What a client answers with that does not want to. */
export class RefusedError extends AppError {
  readonly code = 'gateway.client_refused';
}

/** The parameters of a question to a person. */
export const form = { message: 'Your name?', requestedSchema: { type: 'object' } };

/** What was answered to a question of the server. */
export async function answerTo(server: ScriptedServer, id: string): Promise<Params> {
  const isAnswer = (it: { readonly message: Params }): boolean =>
    it.message['id'] === id && !('method' in it.message);
  await server.until(() => server.received.some(isAnswer));
  return server.received.find(isAnswer)?.message ?? {};
}
