import { learnLabels, type Classify } from '../../kernel/index.ts';
import { featuresOf } from './read-features.ts';
import { lexicon } from './lexicon.ts';
import { has, isDescriptive, readPhrase, readWords } from './read-words.ts';
import type { Phrases } from './tool-profile.ts';

/** Added to the odds of harm: to refuse too much costs a word more, to refuse too little may hurt. */
const harmfulPrior = 0.5;
/** For a word for a harmful program, or for an act and its victim; against it where a defence is spoken of. */
const namedPrior = 1;
/** Fewer telling words than these, and none for harm among them, are no evidence. */
const minTelling = 3;
/** Every so many ordinary phrases are enough to know what is ordinary. */
const ordinaryStep = 2;

/** Tells requests for programs and deeds that harm others from those that only sound like them. */
export function createHarmFilter(phrases: Phrases): (message: string) => boolean {
  let classify: Classify | undefined;
  return (message) => {
    const words = readWords(message);
    const says = (name: string): boolean => words.some((word) => has(word, name));
    const isNamed = says('harmfulProgram') || (says('harmfulAct') && says('victim'));
    const isGuarded = says('defence') || says('inspection');
    if (!isNamed && words.filter(isDescriptive).length < minTelling) return false;
    classify ??= learnHarm(phrases);
    const named = isNamed ? (isGuarded ? -namedPrior : namedPrior) : 0;
    const prior = (label: string): number => (label === 'harmful' ? harmfulPrior + named : 0);
    return classify(featuresOf(words), prior)[0]?.label === 'harmful';
  };
}

function learnHarm(phrases: Phrases): Classify {
  const { harmful, harmless, work, outside, vague } = lexicon.phrases;
  const others = [...work, ...outside, ...vague, ...Object.values(phrases).flat()];
  const ordinary = [...harmless, ...others.filter((_, at) => at % ordinaryStep === 0)];
  const read = (texts: readonly string[]) => texts.map((text) => featuresOf(readPhrase(text)));
  return learnLabels(
    new Map([
      ['harmful', read(harmful)],
      ['harmless', read(ordinary)],
    ]),
  );
}
