import { askYes } from '../ask-yes.ts';
import { openFiles, type Invocation } from '../invocation.ts';
import type { ClientName, ImportPlan, ServerFiles } from '../../contract/server-files/index.ts';
import { counted } from '../../kernel/index.ts';
import { connectModel } from './connect-model.ts';
import { describeModels } from './models.ts';
import { importServers, showPlan, withoutEntries } from './import.ts';

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
      ...(isImported ? [`Added to them: ${counted(plan.added.length, 'server')}.`] : []),
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
