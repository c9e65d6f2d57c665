import type { Json, Plan } from '../../contract/plan/index.ts';

export interface MissingInput {
  readonly name: string;
  readonly question: string;
}

/** What a plan has to be given before it can run, each with the question for it. */
export function missingInputs({ input = {} }: Plan): MissingInput[] {
  return Object.entries(input)
    .filter(([, schema]) => !('default' in schema))
    .map(([name, { description, title }]) => {
      const about = [description, title].find((text) => typeof text === 'string');
      return { name, question: askFor(name, about ?? '') };
    });
}

/** "The commit message." asks by itself; what describes no noun follows the name in plain words. */
function askFor(name: string, about: string): string {
  const [, noun, rest = ''] = /^the (.+?)(?:[.;,](.*))?$/isu.exec(about.trim()) ?? [];
  const more = (noun === undefined ? about : rest).trim();
  const words = name.replaceAll(/[_-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const question = noun === undefined ? `Which ${words.toLowerCase()}?` : `What is the ${noun}?`;
  return more === '' ? question : `${question} (${more.replace(/\.$/u, '')})`;
}

/** The plan with values for what it lacks, in the order of the questions; what is left over is left out. */
export function supplyInputs(plan: Plan, values: readonly string[]): Plan {
  const supplied = missingInputs(plan).flatMap(({ name }, index) => {
    const text = values[index]?.trim() ?? '';
    const schema = plan.input?.[name] ?? {};
    return text === ''
      ? []
      : [[name, { ...schema, default: valueOf(text, schema['type']) }] as const];
  });
  return supplied.length === 0
    ? plan
    : { ...plan, input: { ...plan.input, ...Object.fromEntries(supplied) } };
}

/** What people type, as the type that is asked for; the check tells where it does not fit. */
function valueOf(text: string, type: unknown): Json {
  switch (type) {
    case 'integer':
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      return /^(?:y|yes|true|1|ja|да)$/i.test(text);
    case 'array':
      return text.split(',').map((part) => part.trim());
    default:
      return text;
  }
}
