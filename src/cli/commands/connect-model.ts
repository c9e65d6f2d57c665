import type { ModelDescription } from '../../contract/model/index.ts';
import type { ServerFiles } from '../../contract/server-files/index.ts';
import { askLine, isAtTerminal } from '../ask-line.ts';
import { offerModels } from '../offer-models.ts';
import { textOption, withSystem, type Invocation } from '../invocation.ts';

/** What a model is called that `tutti init` connected. */
const ownModel = 'own';

/**
 * The models there are, after one more was connected where the user named its address: as an option, or at
 * the terminal when none is there.
 */
export async function connectModel(
  invocation: Invocation,
  files: ServerFiles,
): Promise<readonly ModelDescription[]> {
  const address = textOption(invocation, 'modelUrl');
  if (address !== undefined) await connect(invocation, files, address);
  const found = await listModels(invocation);
  if (address !== undefined || found.some(({ isReachable }) => isReachable)) return found;
  const answer = await askAddress(invocation);
  if (answer === '') return found;
  await connect(invocation, files, answer);
  return listModels(invocation);
}

async function connect(invocation: Invocation, files: ServerFiles, url: string): Promise<void> {
  const model = textOption(invocation, 'model');
  await files.connectModel(ownModel, {
    kind: 'openai',
    url,
    ...(model !== undefined && { model }),
  });
}

/** Each time anew, because the settings may have changed. */
function listModels(invocation: Invocation): Promise<readonly ModelDescription[]> {
  const { io, output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const mayAsk = !output.isJson && isAtTerminal(io);
    await offerModels(system, output, mayAsk ? (question) => askLine(io, question) : undefined);
    return system.models.list();
  });
}

async function askAddress({ io, output }: Invocation): Promise<string> {
  if (output.isJson || !isAtTerminal(io)) return '';
  const question =
    'No language model was found. Address of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1 (empty: none): ';
  return (await askLine(io, question))?.trim() ?? '';
}
