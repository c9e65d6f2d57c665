import type { ModelDescription, ModelRole } from '../../contract/model/index.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { formatColumns, printable, type Paint } from '../output.ts';

const roles: Readonly<Record<ModelRole, string>> = {
  agent: 'understands, plans and answers',
  code: 'writes programs and tests',
};

/** `tutti models`: what there is, who is asked first for what, and how to connect one. */
export async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async ({ models }) => {
    const found = await output.during('Looking for models', models.list());
    output.result(found, () => describeModels(found, output.paint));
    return 0;
  });
}

/** Who is asked for what, who cannot be reached, and how to connect one where there is none. */
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
  const lines = models.map(
    ({ name, problem }) => `  ${printable(name)}: ${printable(problem ?? 'it does not answer')}`,
  );
  return ['Not reachable:', ...lines].join('\n');
}

const connecting = `Connect one:
  a local one    start Ollama ("ollama pull qwen2.5-coder:7b") or llama-server: it is detected automatically
  a hosted one   set OPENAI_API_KEY or ANTHROPIC_API_KEY
  any other      name it in the settings file under "models" (docs/models.md)
Then "tutti models" shows it.`;
