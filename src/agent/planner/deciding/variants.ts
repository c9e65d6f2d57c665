import type { Doubt } from './doubts.ts';
import type { Understanding } from '../reading/understand.ts';
import type { ToolChoice } from './tool-choice.ts';
import type { Capability, Wish } from '../reading/wish.ts';

/** Another way to read a message. */
export interface Variant {
  readonly wishes: readonly Wish[];
  /** Several things of a kind are made in one step. */
  readonly isJoined?: boolean;
  readonly why: string;
}

/** How else a message may be meant, likeliest first. */
export function variantsOf(
  wishes: readonly Wish[],
  { slots }: Understanding,
  tools: ToolChoice,
): readonly Variant[] {
  const variants: Variant[] = [];
  const swap = (from: Wish, to: Capability, why: string): void => {
    if (tools.has(to))
      variants.push({
        wishes: wishes.map((wish) => (wish === from ? { ...wish, capability: to } : wish)),
        why,
      });
  };
  const run = wishes.find(({ capability }) => capability === 'runTests');
  if (run && !wishes.some(({ capability }) => capability === 'tests')) {
    swap(run, 'tests', 'new tests may be meant');
  }
  for (const wish of wishes)
    if (wish.rival) swap(wish, wish.rival, 'another tool is near to what was said');
  const codes = wishes.filter(({ capability }) => capability === 'code');
  if (codes.length > 1 || slots.languages.length > 1)
    variants.push({ wishes, isJoined: true, why: 'in one step instead of several' });
  const implied = wishes.filter(({ isImplied }) => isImplied);
  if (implied.length > 0 && implied.length < wishes.length) {
    variants.push({
      wishes: wishes.filter(({ isImplied }) => !isImplied),
      why: 'only what was said in so many words',
    });
  }
  const review = wishes.find(({ capability }) => capability === 'review');
  const change = codes.find(({ target }) => target === 'given');
  if (change && wishes.length > 1)
    variants.push({
      wishes: wishes.filter((wish) => wish !== change),
      why: 'without changing the code',
    });
  if (change && wishes.length === 1) {
    if (slots.lineLength !== undefined || slots.styleGuide !== undefined)
      swap(change, 'format', 'formatting alone may do');
    swap(change, 'review', 'a review may be meant');
  }
  if (review && slots.focus.includes('security'))
    swap(review, 'securityScan', 'a scan by security rules may be meant');
  if (wishes.length > 2)
    variants.push({ wishes: wishes.slice(0, -1), why: 'without the last step' });
  if (review && wishes.length === 1) swap(review, 'tests', 'tests may be meant');
  const made = codes.find(({ target }) => target === 'new');
  if (made && wishes.length === 1 && tools.has('tests')) {
    variants.push({
      wishes: [made, { ...made, capability: 'tests', target: 'open', isImplied: true }],
      why: 'with tests',
    });
  }
  return variants;
}

/** The plan as it would be if what is doubted were otherwise. */
export function mendings(wishes: readonly Wish[], doubts: readonly Doubt[]): readonly Variant[] {
  return doubts.flatMap((doubt): readonly Variant[] => {
    switch (doubt.why) {
      case 'unheard':
        return [withOne(wishes, doubt.capability)];
      case 'unread': {
        // Most deeds that go by a strange name are reviews.
        const isThere = wishes.some(({ capability }) => capability === 'review');
        return isThere ? [] : [withOne(wishes, 'review')];
      }
      case 'count': {
        const first = wishes.find(({ capability }) => capability === doubt.capability);
        const isLast = wishes.length < 2 || doubt.capability === 'code';
        return first && !isLast
          ? [{ wishes: wishes.filter((wish) => wish !== first), why: 'done once less' }]
          : [];
      }
      case 'negation': {
        const last = wishes.at(-1);
        const rest = wishes.filter((wish) => wish !== last);
        return rest.length > 0 ? [{ wishes: rest, why: 'without the last step' }] : [];
      }
      case 'path':
      case 'vague':
        return [];
    }
  });
}

function withOne(wishes: readonly Wish[], capability: Capability): Variant {
  const terms = wishes.at(-1)?.terms ?? [];
  const more: Wish = { capability, target: 'open', terms, isImplied: true };
  return { wishes: [...wishes, more], why: 'a part of the message may ask for it' };
}
