import type { ModelDescription, ModelRole } from '../../contract/model/index.ts';
import { UnknownNameError } from '../errors.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { describeLocalModel, describeUnused } from '../offer-models.ts';
import { formatColumns, type Paint } from '../output.ts';
import { actionsOf } from '../run-action.ts';

const roles: Readonly<Record<ModelRole, string>> = {
  agent: 'understands, plans and answers',
  code: 'writes programs and tests',
};

/** `tutti models`: the models by role, in order of preference, and how to connect one. */
export const run = actionsOf('models', {
  list: { run: list, takes: [], options: [] },
  use: {
    run: (invocation, [name = '']) => decide(invocation, name, true),
    takes: ['NAME'],
    options: [],
  },
  refuse: {
    run: (invocation, [name = '']) => decide(invocation, name, false),
    takes: ['NAME'],
    options: [],
  },
});

async function list(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async ({ models, localModels }) => {
    const found = await output.during('Looking for models', models.list());
    const unused = (await localModels.find()).filter(({ isAccepted }) => isAccepted !== true);
    output.result(found, () => describeModels(found, output.paint));
    for (const model of unused) output.note(describeUnused(model));
    return 0;
  });
}

/** Accepts or refuses a model that was found on this machine, by its name or address. */
async function decide(invocation: Invocation, name: string, isAccepted: boolean): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async ({ localModels }) => {
    const found = await output.during('Looking for models', localModels.find());
    const model = found.find(({ name: own, url }) =>
      [own, url, new URL(url).origin].includes(name),
    );
    if (!model)
      throw new UnknownNameError(
        'model',
        name,
        found.map((one) => one.name),
      );
    await localModels.decide(model, isAccepted);
    output.result(
      { ...model, isAccepted },
      () => `${isAccepted ? 'Used from now on' : 'Not used'}: ${describeLocalModel(model)}`,
    );
    return 0;
  });
}

/** The models of each role, the unreachable ones, and how to connect one where there is none. */
export function describeModels(models: readonly ModelDescription[], paint: Paint): string {
  const reached = models.filter(({ isReachable }) => isReachable);
  const parts = [
    models.length === 0 ? 'No language model was found.' : '',
    ...Object.entries(roles).map(([role, does]) =>
      // The keys of the table are the roles.
      describeRole({ role: role as ModelRole, does, models: reached }, paint),
    ),
    describeMissing(models.filter(({ isReachable }) => !isReachable)),
    reached.length === 0 ? connecting : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

interface RoleParts {
  readonly role: ModelRole;
  readonly does: string;
  readonly models: readonly ModelDescription[];
}

function describeRole({ role, does, models }: RoleParts, paint: Paint): string {
  const serving = models
    .filter((model) => model.roles[role] !== undefined)
    .toSorted((a, b) => (a.roles[role] ?? 0) - (b.roles[role] ?? 0));
  const heading = `${paint.bold(role)}  ${does}`;
  if (serving.length === 0) return `${heading}\n  none: done without a model, and labelled as such`;
  const rows = serving.map(({ name, url, source, contextTokens }, index) => [
    `  ${index + 1}`,
    name,
    url ?? '',
    source,
    contextTokens === null ? '' : `${contextTokens} tokens`,
  ]);
  return `${heading}\n${formatColumns(rows)}`;
}

function describeMissing(models: readonly ModelDescription[]): string {
  if (models.length === 0) return '';
  const lines = models.map(({ name, problem }) => `  ${name}: ${problem ?? 'it does not answer'}`);
  return ['Not reachable:', ...lines].join('\n');
}

const connecting = `Connect one:
  a local one    start Ollama ("ollama pull qwen2.5-coder:7b") or llama-server: it is detected, and used once you accept it
  a hosted one   set OPENAI_API_KEY or ANTHROPIC_API_KEY
  any other      name it in the settings file under "models" (docs/models.md)
Then "tutti models" shows it.`;
