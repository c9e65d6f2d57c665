import type { Attachment } from '../../contract/agent/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { Remembered } from '../../contract/session/index.ts';

/** Something a plan can refer to as `${input.name}`; what is in it is read only when a plan needs it. */
export interface PlanInput {
  readonly name: string;
  readonly title: string;
  readonly kind: Remembered['kind'];
  readonly language?: string;
  readonly load: () => Promise<string | undefined>;
}

export type LoadRemembered = (item: Remembered) => Promise<string | undefined>;

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
