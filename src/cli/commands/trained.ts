import { localCaller } from '../../contract/caller/index.ts';
import { textOption, withSystem, type Invocation } from '../invocation.ts';
import { contentText } from '../output.ts';
import { failureOf, showReport } from '../report-failure.ts';
import { actionsOf } from '../run-action.ts';

/** `tutti trained`: the models in the store, from which data, by which run and with what. */
export const run = actionsOf('trained', {
  list: { run: (one) => callTool(one, 'list_models', {}), takes: [], options: [] },
  show: {
    run: (one, [model = '']) => callTool(one, 'get_model', { model }),
    takes: ['MODEL'],
    options: [],
  },
  promote: { run: promote, takes: ['MODEL'], options: ['alias', 'dataset', 'reason'] },
});

function promote(invocation: Invocation, [model = '']: readonly string[]): Promise<number> {
  const given = ['alias', 'dataset', 'reason'].flatMap((name) => {
    const value = textOption(invocation, name);
    return value === undefined ? [] : [[name, value]];
  });
  return callTool(invocation, 'promote_model', { model, ...Object.fromEntries(given) });
}

async function callTool(invocation: Invocation, tool: string, args: object): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, { only: ['ml'] }, async ({ catalogue }) => {
    const signal = new AbortController().signal;
    const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
    const entry = (await catalogue.entries()).find(({ name }) => name === `ml.${tool}`);
    const result = await catalogue.callTool(entry?.wireName ?? tool, args, context);
    if (result.isError === true) {
      const where = { io: invocation.io, isJson: output.isJson, tool: `ml.${tool}` };
      return showReport(failureOf(`ml.${tool}`, result), where);
    }
    output.result(result.structuredContent ?? {}, () => contentText(result.content));
    return 0;
  });
}
