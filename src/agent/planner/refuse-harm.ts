import { learnLabels, type Classify } from '../../kernel/index.ts';
import { lexicon } from './lexicon.ts';
import { featuresOf, has, isDescriptive, readWords } from './read-words.ts';

type Features = readonly string[];

/** Added to the odds of harm: to refuse too much costs a word more, to refuse too little may hurt. */
const harmfulPrior = 0.8;
/** For a word for a harmful program, or for an act and its victim; against it where a defence is spoken of. */
const namedPrior = 1;
/** Two labels are told apart by finer signs than many are. */
const learningRounds = 5;

/** Tells requests for programs and deeds that harm others from those that only sound like them. */
export function createHarmFilter(ordinary: readonly Features[]): (message: string) => boolean {
  const { harmful, harmless, work } = lexicon.phrases;
  // With a feature that every message has: what says nothing for harm is harmless.
  const withAny = (features: Features): Features => [...features, 'any'];
  const learn = (): Classify => {
    const elsewhere = [...lexicon.elsewhere.values()].flatMap(({ phrases }) => phrases);
    const known = [...harmless, ...work, ...elsewhere].map(featuresOf);
    const others = [...known, ...ordinary].map(withAny);
    const examples = { harmful: harmful.map(featuresOf).map(withAny), harmless: others };
    return learnLabels(new Map(Object.entries(examples)), learningRounds);
  };
  let classify: Classify | undefined;
  return (message) => {
    const words = readWords(message);
    const says = (name: string): boolean => words.some((word) => has(word, name));
    const isNamed = says('harmfulProgram') || (says('harmfulAct') && says('victim'));
    const isGuarded = says('defence') || says('inspection');
    // Words for work alone ("write code", "test it") are no evidence of harm.
    if (!isNamed && !words.some((one) => one.kind === 'word' && isDescriptive(one))) return false;
    classify ??= learn();
    const named = isNamed ? (isGuarded ? -namedPrior : namedPrior) : 0;
    const prior = (label: string): number => (label === 'harmful' ? harmfulPrior + named : 0);
    return classify(withAny(featuresOf(words)), prior)[0]?.label === 'harmful';
  };
}
