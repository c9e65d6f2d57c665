import { ModelUnreachableError } from '../errors.ts';
import type { TextModel } from '../text-model.ts';
import { findSocketOwner } from './socket-owner.ts';

/** A detected model that is asked only while the program of the user who was accepted listens at its address. */
export function createOwnedModel(model: TextModel, owner: string): TextModel {
  const { name, url } = model;
  const check = async (): Promise<void> => {
    const found = await findSocketOwner(Number(new URL(url ?? '').port));
    if (found === owner) return;
    const reason = `another program listens at ${url}; "tutti models" shows it`;
    throw new ModelUnreachableError({ model: name, reason, isLasting: true });
  };
  return {
    name,
    provider: model.provider,
    model: model.model,
    url,
    contextTokens: model.contextTokens,
    ask: async (request, options) => {
      await check();
      return model.ask(request, options);
    },
    probe: async (signal) => {
      await check();
      return model.probe(signal);
    },
    close: () => model.close(),
  };
}
