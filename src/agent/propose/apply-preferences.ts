import { languageOfFile } from '../../contract/language/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Plan, Step } from '../../contract/plan/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import { needsModelMetaKey, type JsonSchema } from '../../contract/tool/index.ts';
import { lookupTable, plainForm, recordOf, sayDay } from '../../kernel/index.ts';

/** Names of arguments by the choice they stand for. */
const argumentsFor = lookupTable<readonly string[]>({
  'line width': ['line_length', 'max_line_length', 'line_width', 'print_width', 'max_width'],
  indentation: ['indent', 'indentation', 'indent_style', 'indent_width', 'tab_width'],
  quotes: ['quotes', 'quote_style'],
  semicolons: ['semicolons', 'semi'],
  tests: ['test_framework', 'framework'],
  formatter: ['formatter'],
  packages: ['package_manager'],
  'programming language': ['language'],
});

export interface PreferenceContext {
  readonly entries: readonly CatalogueEntry[];
  /** Those that hold here, the latest learned first. */
  readonly preferences: readonly Preference[];
}

type Value = string | number | boolean;

/** An argument whose value is that of a preference. */
export interface UsedPreference {
  readonly argument: string;
  readonly value: Value;
  readonly preference: Preference;
}

/**
 * The plan with arguments that the user left open filled from their preferences, where the tool's schema has one of
 * that meaning which takes the value. What is said for this request, or chosen by who planned it, stays.
 */
export function applyPreferences(plan: Plan, context: PreferenceContext): Plan {
  if (context.preferences.length === 0) return plan;
  const steps = plan.steps.map((step) => {
    const filled = fittingOf(step, plan, context)
      .filter(({ argument }) => isLeftOpen(step, plan, argument))
      .map(({ argument, value }) => [argument, value] as const);
    return filled.length === 0
      ? step
      : { ...step, args: { ...step.args, ...Object.fromEntries(filled) } };
  });
  return withoutUnusedInputs({ ...plan, steps });
}

/** The preferences that a plan follows. */
export function preferencesUsed(plan: Plan, context: PreferenceContext): readonly UsedPreference[] {
  const used = plan.steps.flatMap((step) =>
    fittingOf(step, plan, context).filter(({ argument, value }) => step.args?.[argument] === value),
  );
  return used.filter(
    ({ preference }, at) => used.findIndex((one) => one.preference === preference) === at,
  );
}

/** What a plan owes to preferences, for the person who is to accept it; empty where that is nothing. */
export function noteOnPreferences(used: readonly UsedPreference[], nowMs: number): string {
  return used
    .map(({ argument, value, preference }) => {
      const { origin, evidence, learnedAt, state, acceptedAt } = preference;
      const day = sayDay(learnedAt, nowMs);
      const why = origin === 'edit' ? `${evidence} (${day})` : `you said "${evidence}" ${day}`;
      const isNew = acceptedAt === undefined;
      const later =
        state === 'suggested' ? ' Yes keeps it for later.' : isNew ? ' First used here.' : '';
      return `${argument}=${String(value)}, because ${why}.${later}`;
    })
    .join('\n');
}

/** For each argument of the step's tool the preference that fits it best. */
function fittingOf(
  step: Step,
  plan: Plan,
  { entries, preferences }: PreferenceContext,
): readonly UsedPreference[] {
  const entry = entries.find(({ name }) => name === step.tool);
  if (!entry) return [];
  const language = languageOf(step, plan);
  const fields = Object.entries(recordOf(entry.tool.inputSchema['properties']));
  return fields.flatMap(([argument, schema]) => {
    const fitting = preferences
      .filter((one) => isFor(one, { argument, entry, step, language }))
      .toSorted((a, b) => rankOf(b) - rankOf(a));
    for (const preference of fitting) {
      const value = valueFor(preference, recordOf(schema));
      if (value !== undefined) return [{ argument, value, preference }];
    }
    return [];
  });
}

/** What is said of this project or language goes before what is said of all, and what is newest before the rest. */
function rankOf({ project, language }: Preference): number {
  return (project === undefined ? 0 : 2) + (language === undefined ? 0 : 1);
}

interface Place {
  readonly argument: string;
  readonly entry: CatalogueEntry;
  readonly step: Step;
  readonly language: string | undefined;
}

function isFor({ choice, language: only }: Preference, place: Place): boolean {
  const names = choice && argumentsFor[choice.of];
  if (!names?.includes(plainForm(place.argument))) return false;
  // What exists has a language already: only what is written anew can have the preferred one.
  if (choice?.of === 'programming language') return makesNew(place);
  return only === undefined || isOfLanguage(place.language, only);
}

/** Preferences about JavaScript are about TypeScript, too. */
function isOfLanguage(language: string | undefined, only: string): boolean {
  return language === only || (only === 'javascript' && language === 'typescript');
}

const existing = ['code', 'path', 'code_file', 'file', 'files', 'source'];

function makesNew({ entry, step }: Place): boolean {
  const given = Object.keys(step.args ?? {});
  return (
    entry.tool._meta?.[needsModelMetaKey] === true && !existing.some((one) => given.includes(one))
  );
}

/** The language of what a step works on: told, by the name of a file, or by the step whose result it takes. */
function languageOf({ id, args = {} }: Step, { steps }: Plan): string | undefined {
  if (typeof args['language'] === 'string' && !args['language'].includes('${')) {
    return args['language'];
  }
  const texts = Object.values(args).filter((value) => typeof value === 'string');
  for (const text of texts) {
    const language = text.length <= maxPathLength ? languageOfFile(text) : undefined;
    if (language !== undefined) return language;
  }
  const before = steps.slice(
    0,
    steps.findIndex((step) => step.id === id),
  );
  const taken = before.findLast((step) => texts.some((text) => text.includes(`\${${step.id}.`)));
  return taken && languageOf(taken, { steps: before, version: 1 });
}

const maxPathLength = 300;

/** The value as the schema takes it; undefined where it does not. */
function valueFor({ choice }: Preference, schema: JsonSchema): Value | undefined {
  const value = choice?.value.toLowerCase() ?? '';
  const { type, enum: allowed, minimum = -Infinity, maximum = Infinity } = schema;
  if (Array.isArray(allowed)) {
    const [first = ''] = value.split(' ');
    const forms = [value, first, first.replace(/s$/, '')];
    return forms.find((form) => allowed.includes(form));
  }
  if (type === 'integer' || type === 'number') {
    const count = Number.parseInt(value, 10);
    return count >= Number(minimum) && count <= Number(maximum) ? count : undefined;
  }
  if (type === 'boolean') return !value.startsWith('no ');
  return type === 'string' ? value : undefined;
}

/** It is missing, or the plan would ask for it. */
function isLeftOpen({ args = {} }: Step, { input = {} }: Plan, argument: string): boolean {
  const value = args[argument];
  if (value === undefined) return true;
  if (typeof value !== 'string') return false;
  const [, name = ''] = /^\$\{input\.(\w+)\}$/.exec(value) ?? [];
  const declared = input[name];
  return declared !== undefined && !('default' in declared);
}

function withoutUnusedInputs(plan: Plan): Plan {
  const { input, ...rest } = plan;
  if (!input) return plan;
  const text = JSON.stringify([rest.steps, rest.output ?? null]);
  const used = Object.entries(input).filter(([name]) => text.includes(`input.${name}`));
  return used.length === 0 ? rest : { ...rest, input: Object.fromEntries(used) };
}
