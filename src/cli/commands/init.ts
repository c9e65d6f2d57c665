import type { ModelDescription } from '../../contract/model/index.ts';
import type { ClientName, ImportPlan, ServerFiles } from '../../contract/server-files/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { askLine, askYes, isAtTerminal } from '../ask-line.ts';
import { type Invocation, openFiles, textOption, withSystem } from '../invocation.ts';
import { offerModels } from '../offer-models.ts';
import { importServers, showPlan, withoutEntries } from './import.ts';
import { describeModels } from './models.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const files = await openFiles(invocation);
  const isCreated = await files.createUserFile();
  const plan = await files.planImport({});
  const isImported = await offerImport(invocation, files, plan);
  const models = await connectModel(invocation, files);
  const clients = connectable(plan);
  const result = {
    file: files.userFile,
    isCreated,
    isImported,
    ...withoutEntries(plan),
    clients,
    models,
  };
  output.result(result, () =>
    [
      `Your settings: ${files.userFile}${isCreated ? ' (new)' : ''}`,
      ...(isImported ? [`Added to them: ${pluralize(plan.added.length, 'server')}.`] : []),
      ...(!isImported && plan.added.length > 0
        ? [`${showPlan(plan)}\nTake them over with "tutti import".`]
        : []),
      describeModels(models, output.paint),
      ...(clients.length === 0
        ? []
        : [
            `To use Tutti in your other programs:\n${clients.map((client) => `  tutti connect ${client}`).join('\n')}`,
          ]),
      nextSteps,
    ].join('\n\n'),
  );
  return 0;
}

const nextSteps = `Next:
  tutti "what you want"   ask for something
  tutti doctor            check that everything is in order
  tutti servers           see the servers
  tutti servers add …     add one
  tutti tools             see what they can do`;

async function offerImport(
  { io, options, output }: Invocation,
  files: ServerFiles,
  plan: ImportPlan,
): Promise<boolean> {
  if (plan.added.length === 0) return false;
  const isAgreed =
    options['yes'] === true ||
    (!output.isJson && (await askYes(io, `${showPlan(plan)}\n\nAdd them to your settings?`)));
  if (isAgreed !== true) return false;
  await importServers(files, plan);
  return true;
}

/** Clients with a configuration here that do not have Tutti in it. */
function connectable({ files, unusable }: ImportPlan): ClientName[] {
  const connected = new Set(
    unusable.filter(({ isTutti }) => isTutti === true).map(({ client }) => client),
  );
  const clients = new Set(files.map(({ client }) => client));
  return [...clients]
    .filter((client) => client !== 'file')
    .filter((client) => !connected.has(client));
}

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
