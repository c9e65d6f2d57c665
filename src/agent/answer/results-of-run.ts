import type { RunView } from '../../contract/run/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';

/** What a step gave. */
export interface StepResult {
  readonly step: string;
  readonly tool: string | null;
  readonly output: Json;
  /** What the tool says about it. */
  readonly text?: string;
}

/** Reads outputs that are too big for a run's view. */
export interface BigOutputs {
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
