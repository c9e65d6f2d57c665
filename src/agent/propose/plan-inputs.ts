import type { Attachment } from '../../contract/agent/index.ts';
import type { Json, Plan } from '../../contract/plan/index.ts';
import type { Remembered } from '../../contract/session/index.ts';

/** Something a plan can refer to as `${input.name}`; what is in it is read only when a plan needs it. */
export interface PlanInput {
  readonly name: string;
  readonly title: string;
  readonly kind: Remembered['kind'];
  readonly language?: string;
  readonly load: () => Promise<string | undefined>;
}

type LoadRemembered = (item: Remembered) => Promise<string | undefined>;

/** Attachments as `file_1`, …; of what is remembered the latest of each kind, as `last_code`, `last_tests`, …. */
export function collectInputs(
  attachments: readonly Attachment[],
  remembered: readonly Remembered[],
  load: LoadRemembered,
): PlanInput[] {
  const given = attachments.map(({ name, content, language }, index): PlanInput => ({
    name: `file_${index + 1}`,
    title: name,
    kind: 'file',
    ...(language !== undefined && { language }),
    load: async () => content,
  }));
  const kept = new Map<string, PlanInput>();
  for (const item of remembered) {
    const name = `last_${item.kind}`;
    if (kept.has(name)) continue;
    kept.set(name, {
      name,
      title: item.title,
      kind: item.kind,
      ...(item.language !== undefined && { language: item.language }),
      load: () => load(item),
    });
  }
  return [...given, ...kept.values()];
}

/** `input.last_code: code, python, fibonacci.py` */
export function describeInput({ name, title, kind, language }: PlanInput): string {
  const words = [kind, ...(language === undefined ? [] : [language]), title];
  return `input.${name}: ${words.join(', ').replaceAll(/\s+/g, ' ').slice(0, 200)}`;
}

/** The plan with what it refers to as defaults of its inputs, so that it can be kept and run later as it is. */
export async function fillInputs(plan: Plan, inputs: readonly PlanInput[]): Promise<Plan> {
  const text = JSON.stringify([plan.steps, plan.output ?? null]);
  const used = inputs.filter(({ name }) => new RegExp(String.raw`\binput\.${name}\b`).test(text));
  const declared: [string, { type: string; default: string }][] = [];
  for (const { name, load } of used) {
    const content = await load();
    if (content !== undefined) declared.push([name, { type: 'string', default: content }]);
  }
  if (declared.length === 0) return plan;
  return { ...plan, input: { ...plan.input, ...Object.fromEntries(declared) } };
}

interface MissingInput {
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
