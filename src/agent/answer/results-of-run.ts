import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import type { HideSecrets } from '../../contract/secret/index.ts';
import type { Remembered } from '../../contract/session/index.ts';
import { pluralize } from '../../kernel/index.ts';

/** What a step gave. */
export interface StepResult {
  readonly step: string;
  readonly tool: string | null;
  readonly output: Json;
  /** What the tool says about it. */
  readonly text?: string;
}

/** Reads outputs that are too big for a run's view. */
interface BigOutputs {
  get(caller: Caller, id: string): Promise<Uint8Array>;
}

const maxBigBytes = 4_194_304;
const maxResults = 50;

/** What the steps of a run gave, in the order of the plan; big outputs read back. */
export async function resultsOfRun(
  view: RunView,
  outputs: BigOutputs,
  caller: Caller,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const [step, stepView] of Object.entries(view.steps)) {
    const { status, output, stored, text, tool = null } = stepView;
    if (status !== 'succeeded' || results.length === maxResults) continue;
    const known = { step, tool, ...(text !== undefined && { text }) };
    if (output !== undefined) results.push({ ...known, output });
    else if (stored && stored.bytes <= maxBigBytes) {
      const bytes = await outputs.get(caller, stored.id);
      results.push({ ...known, output: readOutput(bytes, stored.mediaType) });
    } else if (stored) results.push({ ...known, output: stored.preview });
  }
  return results;
}

/** A call that worked and tells of a failure: of tests, of a program. */
export function isBadResult({ output }: StepResult): boolean {
  const {
    ok,
    failed,
    exitCode,
    exit_code = exitCode,
  }: Readonly<Record<string, unknown>> = Object(output);
  return (
    ok === false ||
    (typeof failed === 'number' && failed > 0) ||
    (typeof exit_code === 'number' && exit_code !== 0)
  );
}

function readOutput(bytes: Uint8Array, mediaType: string): Json {
  const text = Buffer.from(bytes).toString('utf8');
  if (!mediaType.startsWith('application/json')) return text;
  // The workflow stored it as JSON, and its bytes were checked against their digest.
  return JSON.parse(text) as Json;
}

/** A field of a tool's result that a conversation refers to later, and what it is. */
const fields: readonly (readonly [field: string, kind: Remembered['kind'], title: string])[] = [
  ['formatted_code', 'code', 'formatted code'],
  ['refactored_code', 'code', 'refactored code'],
  ['code', 'code', 'code'],
  ['test_code', 'tests', 'tests'],
  ['tests', 'tests', 'tests'],
  ['formalized_description', 'spec', 'specification'],
  ['documentation', 'text', 'documentation'],
  ['report', 'report', 'report'],
];

export interface FoundResult extends Remembered {
  readonly content: string;
}

/** What of the results "it" may mean later, latest last. */
export function rememberResults(results: readonly StepResult[], runId: string): FoundResult[] {
  return results.flatMap(({ step, output }) => {
    const value: Readonly<Record<string, unknown>> = Object(output);
    const language = typeof value['language'] === 'string' ? { language: value['language'] } : {};
    const from = { runId, step, ...language };
    const isReview = Array.isArray(value['issues']);
    const found = fields.flatMap(([field, kind, title]): FoundResult[] => {
      const content = value[field];
      if (typeof content !== 'string' || content.trim() === '') return [];
      // What a review would change is a proposal: "it" still means the code that was reviewed.
      if (isReview && kind === 'code') return [];
      const isSame = value['changes_made'] === 0 || value['fixes_total'] === 0;
      const unchanged = isSame && kind === 'code' ? { isUnchanged: true as const } : {};
      return [{ kind, content, title: `${title} of step ${step}`, ...from, ...unchanged }];
    });
    if (isReview) {
      const { refactored_code: _code, ...review } = value;
      const content = JSON.stringify(review);
      found.push({ kind: 'review', content, title: `review of step ${step}`, ...from });
    }
    return withoutRepeats(found);
  });
}

/** One of each kind per step: what was made of the code counts before the code itself. */
function withoutRepeats(found: readonly FoundResult[]): FoundResult[] {
  return found.filter((one, index) => found.findIndex(({ kind }) => kind === one.kind) === index);
}

/** Results as a model may see them. Those that plans refer to stay as they are. */
export function hideInResults(
  results: readonly StepResult[],
  hide: HideSecrets | undefined,
): readonly StepResult[] {
  if (!hide) return results;
  return results.map((result) => ({
    ...result,
    output: hideInValue(result.output, hide),
    ...(result.text !== undefined && { text: hide(result.text).text }),
  }));
}

/** The same value with the secrets of its texts hidden. */
export function hideInValue(value: Json, hide: HideSecrets): Json {
  if (typeof value === 'string') return hide(value).text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => hideInValue(one, hide));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hideInValue(inner, hide)]),
  );
}

/** Texts of results as they may be shown, which count what they hide. */
export function createHiddenTexts(hide: HideSecrets | undefined): {
  readonly show: (text: string) => string;
  /** Says what was hidden; empty where nothing was. */
  readonly note: () => string;
} {
  let hidden = 0;
  return {
    show: (text) => {
      if (!hide || text === '') return text;
      const { text: shown, count } = hide(text);
      hidden += count;
      return shown;
    },
    note: () =>
      hidden === 0 ? '' : `${pluralize(hidden, 'secret')} ${hidden === 1 ? 'is' : 'are'} hidden.`,
  };
}
