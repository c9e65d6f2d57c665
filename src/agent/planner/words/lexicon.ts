import { functionWords } from './lexicon/function-words.ts';
import { nounWords } from './lexicon/nouns.ts';
import {
  focusWords,
  frameworkWords,
  languageWords,
  styleGuideWords,
  testFrameworkWords,
} from './lexicon/slot-words.ts';
import { verbWords } from './lexicon/verbs.ts';
import { baseForms, isSlip, plainForm } from './text-forms.ts';

type Table = typeof verbWords & typeof nounWords & typeof functionWords;
/** What a word can be: `v.…` a verb by what it asks for, `n.…` a noun by what it is, `f.…` how it joins others. */
export type Tag = keyof Table;

export type SlotName = 'language' | 'framework' | 'testFramework' | 'styleGuide' | 'focus';

export interface Meaning {
  readonly tags: ReadonlySet<Tag>;
  readonly slots: Readonly<Partial<Record<SlotName, string>>>;
}

/** A meaning, and how many words it was spelled with. */
export interface Match extends Meaning {
  readonly words: number;
}

const mistyped: ReadonlySet<Tag> = new Set([
  'v.create',
  'v.review',
  'v.test',
  'v.spec',
  'v.summarize',
  'n.test',
  'n.review',
  'n.spec',
]);
const particles = new Set(['up', 'over', 'out', 'down', 'together', 'through', 'in', 'off']);
const maxPhraseWords = 5;
/** Of a compound written as one word. */
const minPrefixChars = 4;
const minSuffixChars = 6;
/** Shorter words differ by one letter from too many others. */
const minSlipChars = 5;

/** Finds what words mean, phrases before single words, forgiving one slip of the finger. */
export class Lexicon {
  readonly #phrases = new Map<
    string,
    { tags: Set<Tag>; slots: Partial<Record<SlotName, string>> }
  >();
  readonly #byLetter = new Map<string, string[]>();

  constructor() {
    const tables = { ...verbWords, ...nounWords, ...functionWords };
    for (const [tag, list] of Object.entries(tables)) {
      // The keys of the tables are the tags.
      for (const phrase of phrasesOf(list)) {
        for (const form of withPronouns(phrase, tag)) this.#entry(form).tags.add(tag as Tag);
      }
    }
    const slots = {
      language: languageWords,
      framework: frameworkWords,
      testFramework: testFrameworkWords,
      styleGuide: styleGuideWords,
      focus: focusWords,
    };
    for (const [slot, values] of Object.entries(slots)) {
      for (const [value, list] of Object.entries(values)) {
        // The keys are those of the record above.
        for (const phrase of phrasesOf(list)) this.#entry(phrase).slots[slot as SlotName] ??= value;
      }
    }
    for (const phrase of this.#phrases.keys()) {
      if (phrase.includes(' ') || phrase.length < minSlipChars || !this.#mayBeMistyped(phrase))
        continue;
      const letter = phrase.slice(0, 1);
      this.#byLetter.set(letter, [...(this.#byLetter.get(letter) ?? []), phrase]);
    }
  }

  /** The longest phrase that the words begin with. */
  match(words: readonly string[]): Match {
    for (let count = Math.min(maxPhraseWords, words.length); count > 1; count -= 1) {
      const found = this.#phrase(words.slice(0, count));
      if (found) return { ...found, words: count };
    }
    return { ...this.#word(words[0] ?? ''), words: 1 };
  }

  /** As it is spelled, without guessing. */
  knows(word: string): boolean {
    return this.#phrases.has(word);
  }

  #phrase(words: readonly string[]): Meaning | undefined {
    const exact = this.#phrases.get(words.join(' '));
    if (exact) return exact;
    const last = words.at(-1) ?? '';
    const singular = baseForms(last).find(({ ending }) => ending === 's');
    const found = singular && this.#phrases.get([...words.slice(0, -1), singular.base].join(' '));
    return found && { tags: withoutVerbs(found.tags), slots: found.slots };
  }

  #word(word: string): Meaning {
    const exact = this.#phrases.get(word);
    if (exact) return exact;
    for (const { base, ending } of baseForms(word)) {
      const found = this.#phrases.get(base);
      if (!found) continue;
      const tags = ending === 's' ? withoutVerbs(found.tags) : onlyVerbs(found.tags);
      if (tags.size > 0) return { tags, slots: {} };
    }
    return this.#compound(word) ?? this.#slip(word);
  }

  /** `React-Komponente`, `Datenbankabfrage`: the last part says what it is. */
  #compound(word: string): Meaning | undefined {
    const parts = word.split('-').filter((part) => part !== '');
    const last = parts.at(-1) ?? '';
    const known = parts.length > 1 ? this.#phrases.get(last) : this.#bySuffix(word);
    const first = parts.length > 1 ? this.#phrases.get(parts[0] ?? '') : undefined;
    if (!known && !first) return undefined;
    return { tags: withoutVerbs(known?.tags ?? new Set<Tag>()), slots: first?.slots ?? {} };
  }

  #bySuffix(word: string): Meaning | undefined {
    const from = minPrefixChars;
    for (let at = from; at <= word.length - minSuffixChars; at += 1) {
      const found = this.#phrases.get(word.slice(at));
      if (found?.tags.has('n.soft') || found?.tags.has('n.test')) return found;
    }
    return undefined;
  }

  #slip(word: string): Meaning {
    const none = { tags: new Set<Tag>(), slots: {} };
    if (word.length < minSlipChars || !/^[a-z]+$/u.test(word)) return none;
    const meant = this.#byLetter
      .get(word.slice(0, 1))
      // A word that differs in its end is more often another form, or another word.
      ?.find((known) => isSlip(word, known) && word.at(-1) === known.at(-1));
    return (meant !== undefined && this.#phrases.get(meant)) || none;
  }

  /** Other words are too many: half of the dictionary is a slip away from one. */
  #mayBeMistyped(phrase: string): boolean {
    const { tags, slots } = this.#entry(phrase);
    return Object.keys(slots).length > 0 || [...tags].some((tag) => mistyped.has(tag));
  }

  #entry(phrase: string): { tags: Set<Tag>; slots: Partial<Record<SlotName, string>> } {
    const known = this.#phrases.get(phrase) ?? { tags: new Set<Tag>(), slots: {} };
    this.#phrases.set(phrase, known);
    return known;
  }
}

/** The phrases of a list in the lexicon's notation. */
export function phrasesOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((phrase) => plainForm(phrase.trim().replaceAll(/\s+/gu, ' ')))
    .filter((phrase) => phrase !== '');
}

/** `sum up`, and `sum it up`. */
function withPronouns(phrase: string, tag: string): readonly string[] {
  const [verb, particle, more] = phrase.split(' ');
  if (
    !(tag.startsWith('v.') || tag === 'f.neg') ||
    more !== undefined ||
    !particles.has(particle ?? '')
  )
    return [phrase];
  return [
    phrase,
    ...['it', 'this', 'that', 'them'].map((pronoun) => `${verb} ${pronoun} ${particle}`),
  ];
}

/** `checks` is a plural, or says what something does: nobody asks for a deed in that form. */
function withoutVerbs(tags: ReadonlySet<Tag>): ReadonlySet<Tag> {
  return new Set([...tags].filter((tag) => tag.startsWith('n.')));
}

function onlyVerbs(tags: ReadonlySet<Tag>): ReadonlySet<Tag> {
  return new Set([...tags].filter((tag) => tag.startsWith('v.')));
}
