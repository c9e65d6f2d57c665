import type { StepResult } from './results-of-run.ts';
import { rememberResults } from './remember-results.ts';

type Kind = ReturnType<typeof rememberResults>[number]['kind'];

interface Idea {
  readonly say: string;
  /** The tool that does it. */
  readonly tool: string;
  readonly after: Kind;
  readonly unless?: Kind;
}

const ideas: readonly Idea[] = [
  { say: 'write tests for it', tool: 'code.generate_tests', after: 'code', unless: 'tests' },
  { say: 'review it', tool: 'code.review_code', after: 'code', unless: 'review' },
  { say: 'refactor it', tool: 'code.refactor_code', after: 'review' },
  { say: 'run the tests', tool: 'exec.run_tests', after: 'tests' },
];

/** Other verbs for what a saying begins with. */
export const sameVerbs: ReadonlyMap<string, string> = new Map([
  ['save', 'apply'],
  ['write', 'apply'],
]);

const applySaying = 'apply it';
const applyOffer = `Say "${applySaying}" to write the change to the file.`;
const ideasStart = 'Next you could say ';

export interface DoneSoFar {
  readonly results: readonly StepResult[];
  readonly changesFile: boolean;
  /** Names of the tools there are. */
  readonly tools: ReadonlySet<string>;
}

/** What could be said next, of what the tools that are there can do; empty where nothing follows. */
export function nextSteps({ results, changesFile, tools }: DoneSoFar): string {
  if (changesFile && tools.has('workspace.apply_changes')) return applyOffer;
  const kinds = new Set(rememberResults(results, '').map(({ kind }) => kind));
  const fitting = ideas.filter(
    ({ tool, after, unless }) =>
      kinds.has(after) && (unless === undefined || !kinds.has(unless)) && tools.has(tool),
  );
  if (fitting.length === 0) return '';
  return `${ideasStart}${fitting.map(({ say }) => `"${say}"`).join(', ')}.`;
}

/** What an answer of `nextSteps` offered to say; only our own sayings, because an answer also quotes files and tools. */
export function offeredSteps(answer: string): readonly string[] {
  const lines = answer.split('\n');
  if (lines.includes(applyOffer)) return [applySaying];
  const said = lines.findLast((line) => line.startsWith(ideasStart));
  return ideas.map(({ say }) => say).filter((say) => said?.includes(`"${say}"`));
}
