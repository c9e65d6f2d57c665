import type { PlanCandidate } from '../../contract/agent/index.ts';
import { takes } from './tool-profile.ts';
import type { Situation } from './planner.ts';
import { isSignificant } from './read-words.ts';

const continues = /^\s*(?:and|what about|how about|same for|und|et)\b/iu;

/** "and the rest of the repo?": the last request once more, for the path that is named now. */
export function repeatLast({
  prose,
  reading,
  context,
  tools,
}: Situation): PlanCandidate | undefined {
  const { lastStep } = context;
  const profile = tools.get(lastStep?.tool ?? '');
  const isReading = profile?.entry.tool.annotations?.readOnlyHint === true;
  if (!lastStep || !profile || !isReading || !takes(profile, 'path') || !continues.test(prose))
    return undefined;
  const field = profile.fields.find(({ role }) => role === 'path')?.name ?? '';
  const said = reading.words.filter((word) => isSignificant(word) && word.kind !== 'mark');
  const paths = said.filter(({ path }) => path !== undefined && path.kind !== 'new');
  const path = paths[0]?.path?.path;
  const isSame = typeof lastStep.args?.[field] === 'string';
  const isOnlyPath = said.every((word) => paths.includes(word) || word.plain === 'same');
  if (path === undefined || paths.length > 1 || !isOnlyPath || !isSame) return undefined;
  const { title = profile.entry.name } = profile.entry.tool;
  return {
    plan: {
      version: 1,
      goal: prose,
      steps: [{ ...lastStep, args: { ...lastStep.args, [field]: path } }],
    },
    why: `${title} (${path === '.' ? 'the whole project' : path}), as before.`,
    confidence: 0.9,
  };
}
