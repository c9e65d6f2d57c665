import type {
  AskOptions,
  TextModel,
  TextModelAnswer,
  TextModelRequest,
} from '../../src/models/text-model.ts';

interface ScriptedModel extends TextModel {
  readonly requests: TextModelRequest[];
  closed: number;
}

/** What the model does with one request: says a text, throws, or does as it is told. */
export type Turn =
  | string
  | Error
  | ((request: TextModelRequest, options: AskOptions) => Promise<TextModelAnswer>);

/** A model that does as it is told, turn by turn; the last turn for all further requests. */
export function aScriptedModel(
  name: string,
  turns: readonly Turn[],
  more: Partial<TextModel> = {},
): ScriptedModel {
  const requests: TextModelRequest[] = [];
  const model: ScriptedModel = {
    name,
    provider: 'openai',
    model: 'm',
    url: `http://${name}.example`,
    contextTokens: null,
    requests,
    closed: 0,
    async ask(request, options) {
      requests.push(request);
      const turn = turns[Math.min(requests.length, turns.length) - 1] ?? '';
      if (typeof turn === 'function') return turn(request, options);
      if (turn instanceof Error) throw turn;
      options.onText?.(turn);
      return { text: turn, finish: 'stop', usage: null };
    },
    probe: async () => ({ problem: null }),
    async close() {
      model.closed += 1;
    },
    ...more,
  };
  return model;
}
