import { addCode, addSpec } from './add-code.ts';
import { addOnText, addWrite, materialFor } from './add-delivery.ts';
import { addOnCode } from './add-work.ts';
import { contentWords } from '../words/content-words.ts';
import { Drafting, type Decided, type Deciding } from './drafting.ts';
import type { Capability, Wish } from '../reading/wish.ts';

/** Lines the wishes up as steps, each with what it works on. */
export function decideSteps(
  wishes: readonly Wish[],
  deciding: Deciding,
  options: { readonly isJoined: boolean } = { isJoined: false },
): Decided {
  const drafting = new Drafting(deciding, options.isJoined);
  for (const wish of inOrder(withoutEmpty(wishes), deciding)) addStep(wish, drafting);
  return { drafts: drafting.drafts, missing: drafting.missing };
}

/** "I need two helpers: one that …": the first says only that there will be some. */
function withoutEmpty(wishes: readonly Wish[]): readonly Wish[] {
  const isNew = ({ capability, target }: Wish): boolean =>
    capability === 'code' && target === 'new';
  const hasContent = (wish: Wish): boolean => contentWords(wish.terms).length > 0;
  const isSaid = wishes.some((wish) => isNew(wish) && hasContent(wish));
  return isSaid ? wishes.filter((wish) => !isNew(wish) || hasContent(wish) || wish.isSame) : wishes;
}

/** What is made comes before what needs it, unless the tests are to come first. */
function inOrder(wishes: readonly Wish[], { understanding }: Deciding): readonly Wish[] {
  const rank = (wish: Wish): number => {
    if (wish.capability === 'read') return 0;
    if (wish.capability === 'search' || wish.capability === 'listIssues') return 1;
    if (wish.capability === 'spec') return 2;
    if (understanding.isTestFirst && wish.capability === 'tests') return 3;
    if (wish.capability === 'code' && wish.target === 'new') return 4;
    return 5;
  };
  return wishes
    .map((wish, at) => ({ wish, at }))
    .toSorted((a, b) => rank(a.wish) - rank(b.wish) || a.at - b.at)
    .map(({ wish }) => wish);
}

const oncePerPlan: ReadonlySet<Capability> = new Set([
  'imports',
  'vulnerabilities',
  'docs',
  'standard',
  'status',
  'pullRequest',
  'runTests',
  'listIssues',
]);

function addStep(wish: Wish, drafting: Drafting): void {
  const tool = drafting.deciding.tools.get(wish.capability)?.[0];
  // Without a reader, tools that take a path read the file themselves.
  const isLeft = wish.capability === 'read' && drafting.deciding.understanding.wishes.length > 1;
  if (!tool && isLeft) return;
  if (!tool) {
    drafting.missing.push({ what: 'tool', capability: wish.capability });
    return;
  }
  switch (wish.capability) {
    case 'read':
      return addRead(wish, drafting);
    case 'spec':
      return addSpec(wish, tool, drafting);
    case 'code':
      return addCode(wish, tool, drafting);
    case 'tests':
    case 'review':
    case 'format':
    case 'complexity':
    case 'secrets':
    case 'securityScan':
    case 'runCode':
    case 'fixes':
      return addOnCode(wish, tool, drafting);
    case 'write':
      return addWrite(wish, tool, drafting);
    case 'summary':
      return addOnText(wish, tool, drafting);
    case 'createIssue':
    case 'message':
    case 'email':
    case 'pullRequest':
    case 'runTests':
    case 'listIssues':
    case 'search':
    case 'imports':
    case 'vulnerabilities':
    case 'docs':
    case 'standard':
    case 'status':
      if (
        drafting.drafts.some(
          ({ capability }) => capability === wish.capability && oncePerPlan.has(capability),
        )
      )
        return;
      drafting.push({ wish, tool, sources: materialFor(wish, drafting) });
      return;
  }
}

function addRead(wish: Wish, drafting: Drafting): void {
  const paths = wish.terms.filter(({ kind }) => kind === 'path');
  if (paths.length === 0 && drafting.anyInputPath().length === 0)
    drafting.missing.push({ what: 'path' });
  for (const path of paths) drafting.readPath(path);
}
