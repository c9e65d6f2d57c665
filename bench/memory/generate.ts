import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { choose, expand, shuffled, type Random, seededRandom } from './phrases.ts';

export type Half = 'tuning' | 'held-out';
export type QuestionKind =
  | 'single'
  | 'multi'
  | 'when'
  | 'month'
  | 'update'
  | 'past'
  | 'unanswerable';

export interface SampleTurn {
  readonly number: number;
  readonly speaker: string;
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A fact that was noted when a turn told it; `supersedes` is the turn that told the earlier value. */
export interface SampleFact {
  readonly turn: number;
  readonly supersedes?: number;
}

export interface SampleQuestion {
  readonly text: string;
  readonly kind: QuestionKind;
  /** Numbers of the turns that answer it. */
  readonly evidence: readonly number[];
  /** Turns with a value that no longer holds. */
  readonly outdated: readonly number[];
}

export interface Conversation {
  readonly id: string;
  readonly turns: readonly SampleTurn[];
  readonly facts: readonly SampleFact[];
  readonly questions: readonly SampleQuestion[];
}

const lines = z.array(z.string()).min(1);
const factSchema = z.strictObject({
  id: z.string(),
  slots: z.record(z.string(), lines),
  tell: lines,
  /** A question of the other person and the answer to it, which says little by itself. */
  exchange: z.array(z.tuple([z.string(), z.string()])).default([]),
  /** Turns about the same subject that answer nothing. */
  near: lines,
  ask: lines,
  /** Questions that name one of the values, as people do who remember half of it. */
  known: lines,
  when: lines.optional(),
  list: lines.optional(),
  month: lines.optional(),
  update: z.strictObject({ tell: lines, past: lines }).optional(),
  never: lines,
});
const subjectsSchema = z.strictObject({
  pairs: z.array(z.tuple([z.string(), z.string()])),
  facts: z.array(factSchema),
});
const chatterSchema = z.strictObject({
  banks: z.record(z.string(), lines),
  dialogues: z.array(lines),
  openers: lines,
  closers: lines,
  leads: lines,
  reacts: lines,
  /** Answers that repeat a value. */
  echoes: lines,
  followUps: lines,
});
type Fact = z.output<typeof factSchema>;
type Chatter = z.output<typeof chatterSchema>;

const sessionCount = 22;
const turnsPerSession = 17;
const daysBetweenSessions = 9;
const dayMs = 86_400_000;
/** Of the subjects; the others are asked about and were never talked about. */
const shareOfSubjectsTold = 0.7;
const shareOfEchoes = 0.4;
/** Questions of a conversation about values that it never names. */
const neverSaidCount = 8;
const months = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2025, month)),
);

/** The conversations of a half; the halves share small talk and no subject, name or question. */
export function generateConversations(half: Half, seed: number): Conversation[] {
  return (['people', 'assistant'] as const).flatMap((cast) => {
    const { pairs, facts } = subjectsSchema.parse(readData(`${cast}-${half}`));
    const chatter = chatterSchema.parse(readData(`chatter-${cast}`));
    return pairs.map((pair, index) => {
      const random = seededRandom(seed * 1_000 + index * 10 + (cast === 'people' ? 1 : 2));
      const id = `${half}-${cast}-${index + 1}`;
      return new Writer({ id, cast, pair, facts, chatter, random }).write();
    });
  });
}

function readData(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8'));
}

interface WriterOptions {
  readonly id: string;
  readonly cast: 'people' | 'assistant';
  readonly pair: readonly [string, string];
  readonly facts: readonly Fact[];
  readonly chatter: Chatter;
  readonly random: Random;
}

/** One time that somebody tells something. */
interface Telling {
  readonly fact: Fact;
  readonly teller: string;
  readonly session: number;
  readonly isUpdate: boolean;
  /** Both are there once it is written. */
  turn?: SampleTurn;
  values?: Readonly<Record<string, string>>;
}

class Writer {
  readonly #options: WriterOptions;
  readonly #random: Random;
  readonly #turns: SampleTurn[] = [];
  readonly #startMs: number;
  #nowMs = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#random = options.random;
    this.#startMs = Date.UTC(2025, 0, 1) + Math.floor(this.#random() * 200) * dayMs;
  }

  write(): Conversation {
    const { id, facts } = this.#options;
    const order = shuffled(facts, this.#random);
    const told = order.slice(0, Math.round(order.length * shareOfSubjectsTold));
    const untold = order.slice(told.length);
    const tellings = told.flatMap((fact) => this.#planTellings(fact));
    const asides = shuffled(
      facts.flatMap(({ near }) => [...near, ...near]),
      this.#random,
    );
    for (let session = 0; session < sessionCount; session += 1) {
      this.#nowMs = this.#startMs + this.#sessionDay(session) * dayMs + this.#hour();
      const due = tellings.filter((telling) => telling.session === session);
      const share = asides.slice(
        Math.floor((asides.length * session) / sessionCount),
        Math.floor((asides.length * (session + 1)) / sessionCount),
      );
      this.#writeSession(due, share);
    }
    const notes = tellings.flatMap((telling) => this.#note(telling, tellings));
    return { id, turns: this.#turns, facts: notes, questions: this.#ask(tellings, untold) };
  }

  #sessionDay(session: number): number {
    return session * daysBetweenSessions + (session % 3);
  }

  #hour(): number {
    return (8 + Math.floor(this.#random() * 12)) * 3_600_000;
  }

  #planTellings(fact: Fact): Telling[] {
    const { pair, cast } = this.#options;
    const first = cast === 'people' ? choose(pair, this.#random) : pair[0];
    const both = cast === 'people' && this.#random() < 0.35;
    const tellers = both ? pair : [first];
    return tellers.flatMap((teller) => {
      const times = fact.list ? 2 + Math.floor(this.#random() * 3) : fact.update ? 2 : 1;
      const spread = Math.floor(sessionCount / times);
      return Array.from({ length: times }, (_, time) => {
        const session = time * spread + Math.floor(this.#random() * spread);
        return { fact, teller, session, isUpdate: time > 0 && fact.update !== undefined };
      });
    });
  }

  #writeSession(due: readonly Telling[], asides: readonly string[]): void {
    const blocks = shuffled(
      [
        ...due.map((telling) => () => this.#tell(telling)),
        ...asides.map((aside) => () => this.#say(choose(this.#options.pair, this.#random), aside)),
      ],
      this.#random,
    );
    const end = this.#turns.length + turnsPerSession;
    for (const block of blocks) {
      this.#chat();
      block();
    }
    while (this.#turns.length < end) this.#chat();
  }

  #chat(): void {
    const { chatter, pair } = this.#options;
    const [one, other] = this.#options.cast === 'people' ? shuffled(pair, this.#random) : pair;
    const dialogue = choose(chatter.dialogues, this.#random);
    for (const [index, line] of dialogue.entries()) {
      this.#say(index % 2 === 0 ? one : other, line);
    }
  }

  #tell(telling: Telling): void {
    const { fact, teller, isUpdate } = telling;
    const { chatter } = this.#options;
    const partner = this.#other(teller);
    const values = this.#values(fact);
    telling.values = values;
    const exchange = isUpdate ? undefined : fact.exchange[0];
    if (exchange && this.#random() < 0.5) {
      this.#say(partner, exchange[0]);
      telling.turn = this.#say(teller, expand(exchange[1], this.#random, values));
    } else {
      if (this.#random() < 0.4) this.#say(partner, choose(chatter.leads, this.#random));
      const line = choose(isUpdate && fact.update ? fact.update.tell : fact.tell, this.#random);
      const opener = choose(chatter.openers, this.#random);
      const closer = choose(chatter.closers, this.#random);
      telling.turn = this.#say(
        teller,
        `${opener}${capitalized(expand(line, this.#random, values))}${closer}`,
      );
    }
    const said = Object.values(values).filter((value) => telling.turn?.text.includes(value));
    if (said.length > 0 && this.#random() < shareOfEchoes) {
      const value = choose(said, this.#random);
      this.#say(partner, expand(choose(chatter.echoes, this.#random), this.#random, { value }));
    } else this.#say(partner, choose(chatter.reacts, this.#random));
    if (this.#random() < 0.5) this.#say(teller, choose(chatter.followUps, this.#random));
  }

  #values(fact: Fact): Record<string, string> {
    return Object.fromEntries(
      Object.entries(fact.slots).map(([slot, values]) => {
        const used = this.#turns.map(({ text }) => text);
        const unused = values.filter((value) => !used.some((text) => text.includes(value)));
        return [slot, choose(unused.length > 0 ? unused : values, this.#random)];
      }),
    );
  }

  #say(speaker: string, line: string): SampleTurn {
    const { chatter, cast } = this.#options;
    const partner = this.#other(speaker);
    const said = capitalized(expand(line, this.#random, { partner }, chatter.banks).trim());
    const text = cast === 'people' ? `${speaker}: ${said}` : said;
    this.#nowMs += 20_000 + Math.floor(this.#random() * 90_000);
    const at = new Date(this.#nowMs).toISOString();
    const turn = { number: this.#turns.length + 1, speaker, text, at };
    this.#turns.push(turn);
    return turn;
  }

  #other(speaker: string): string {
    const [one, other] = this.#options.pair;
    return speaker === one ? other : one;
  }

  /** Only what can change is noted as a fact beside its turn. */
  #note(telling: Telling, all: readonly Telling[]): SampleFact[] {
    if (!telling.turn || !telling.fact.update) return [];
    const earlier = telling.isUpdate ? findEarlier(telling, all) : undefined;
    return [
      { turn: telling.turn.number, ...(earlier?.turn && { supersedes: earlier.turn.number }) },
    ];
  }

  #ask(tellings: readonly Telling[], untold: readonly Fact[]): SampleQuestion[] {
    const about = new Set(tellings.map(({ fact }) => fact));
    const answerable = [...about].flatMap((fact) =>
      this.#options.pair.flatMap((who) => {
        const own = tellings.filter((it) => it.fact === fact && it.teller === who);
        return this.#askAbout(fact, who, own);
      }),
    );
    const { pair, cast } = this.#options;
    const never = shuffled([...about], this.#random).slice(0, 4);
    const unanswerable = [
      ...untold.flatMap(({ ask }) => shuffled(ask, this.#random).slice(0, 2)),
      ...never.flatMap((fact) => fact.never),
    ].map((line) => this.#unanswerable(line, choose(pair, this.#random)));
    const swapped =
      cast === 'assistant'
        ? []
        : shuffled(
            [...about].filter((it) => new Set(tellersOf(it, tellings)).size === 1),
            this.#random,
          )
            .slice(0, 3)
            .flatMap((fact) => {
              const [teller = ''] = tellersOf(fact, tellings);
              return [this.#unanswerable(choose(fact.ask, this.#random), this.#other(teller))];
            });
    return [...answerable, ...unanswerable, ...swapped, ...this.#askNeverSaid([...about])];
  }

  /** Names values that came up nowhere, of subjects that did. */
  #askNeverSaid(facts: readonly Fact[]): SampleQuestion[] {
    const isSaid = (value: string): boolean => this.#turns.some(({ text }) => text.includes(value));
    return shuffled(facts, this.#random)
      .flatMap((fact) => {
        const unsaid = Object.fromEntries(
          Object.entries(fact.slots).map(([slot, values]) => [
            slot,
            values.find((value) => !isSaid(value)) ?? '',
          ]),
        );
        const line = choose(fact.known, this.#random);
        const isUnsaid = [...line.matchAll(/\{(\w+)\}/g)].every(
          ([, slot = '']) => slot === 'who' || unsaid[slot] !== '',
        );
        const who = choose(this.#options.pair, this.#random);
        const text = expand(line, this.#random, { ...unsaid, who });
        return isUnsaid
          ? [{ text, kind: 'unanswerable' as const, evidence: [], outdated: [] }]
          : [];
      })
      .slice(0, neverSaidCount);
  }

  #unanswerable(line: string, who: string): SampleQuestion {
    return {
      text: expand(line, this.#random, { who }),
      kind: 'unanswerable',
      evidence: [],
      outdated: [],
    };
  }

  #askAbout(fact: Fact, who: string, own: readonly Telling[]): SampleQuestion[] {
    const told = own.flatMap(({ turn }) => turn ?? []);
    const latest = told.at(-1);
    if (!latest) return [];
    const numbers = told.map(({ number }) => number);
    const question = (
      kind: QuestionKind,
      from: readonly string[],
      evidence: readonly number[],
      month = '',
    ): SampleQuestion => ({
      text: expand(choose(from, this.#random), this.#random, { who, month }),
      kind,
      evidence,
      outdated: kind === 'update' ? numbers.filter((it) => !evidence.includes(it)) : [],
    });
    const made: SampleQuestion[] = [];
    if (fact.list) {
      made.push(question('multi', fact.list, numbers));
      const { month: inMonth } = fact;
      const month = (turn: SampleTurn): string => months[new Date(turn.at).getUTCMonth()] ?? '';
      if (inMonth) {
        const asked = month(choose(told, this.#random));
        const right = told.filter((turn) => month(turn) === asked).map(({ number }) => number);
        made.push(question('month', inMonth, right, asked));
      }
    } else if (fact.update) {
      made.push(question('update', fact.ask, [latest.number]));
      made.push(question('past', fact.update.past, numbers.slice(0, 1)));
    } else {
      for (const line of shuffled(fact.ask, this.#random).slice(0, 2)) {
        made.push(question('single', [line], numbers));
      }
    }
    if (fact.when) made.push(question('when', fact.when, numbers));
    return [...made, ...this.#askHalfKnown(fact, who, own)];
  }

  #askHalfKnown(fact: Fact, who: string, own: readonly Telling[]): SampleQuestion[] {
    return own.flatMap(({ turn, values }) => {
      // Only what the turn really says can be asked for.
      const isSaid = (line: string): boolean =>
        [...line.matchAll(/\{(\w+)\}/g)].every(([, slot = '']) => {
          const value = values?.[slot];
          return slot === 'who' || (value !== undefined && turn?.text.includes(value));
        });
      const lines = fact.known.filter(isSaid);
      if (!turn || lines.length === 0) return [];
      const text = expand(choose(lines, this.#random), this.#random, { ...values, who });
      return [{ text, kind: 'single', evidence: [turn.number], outdated: [] }];
    });
  }
}

function findEarlier(telling: Telling, all: readonly Telling[]): Telling | undefined {
  return all.find((it) => it.fact === telling.fact && it.teller === telling.teller && !it.isUpdate);
}

function tellersOf(fact: Fact, tellings: readonly Telling[]): string[] {
  return tellings.filter((it) => it.fact === fact).map(({ teller }) => teller);
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
