import type { Context } from './context.ts';
import { outputPath } from '../reading/classify-delivery.ts';
import { givenBy, stepNames, type DataKind, type Draft, type Source } from './draft.ts';
import { findSlots, type Slots } from '../words/find-slots.ts';
import { languageOfFramework } from '../words/lexicon/slot-words.ts';
import { readView } from '../reading/piece-view.ts';
import { contentOfPath, type Term } from '../words/read-terms.ts';
import type { ToolChoice } from './tool-choice.ts';
import type { ToolProfile } from './tool-profile.ts';
import type { Understanding } from '../reading/understand.ts';
import type { Capability, Wish } from '../reading/wish.ts';

/** Why a plan cannot be made yet. */
export type Missing =
  | { readonly what: 'code'; readonly capability: Capability }
  | { readonly what: 'which code' }
  | { readonly what: 'purpose'; readonly capability: Capability }
  | { readonly what: 'path' }
  /** A file is named, and no tool reads one. */
  | { readonly what: 'reader' }
  | { readonly what: 'subject'; readonly capability: Capability }
  | { readonly what: 'tool'; readonly capability: Capability };

export interface Decided {
  readonly drafts: readonly Draft[];
  readonly missing: readonly Missing[];
}

export interface Deciding {
  readonly message: string;
  readonly understanding: Understanding;
  readonly context: Context;
  readonly tools: ToolChoice;
}

export interface NewStep {
  readonly wish: Wish;
  readonly tool: ToolProfile;
  readonly sources: readonly Source[];
  readonly more?: Partial<Draft>;
}

/** The steps of a plan as they come together. */
export class Drafting {
  readonly drafts: Draft[] = [];
  readonly missing: Missing[] = [];
  readonly deciding: Deciding;
  /** One step for several things of a kind. */
  readonly isJoined: boolean;
  /** What files that were read give, by path. */
  readonly read = new Map<string, Source>();
  /** The code that is current; several when several were asked for. */
  code: readonly Source[] = [];

  constructor(deciding: Deciding, isJoined: boolean) {
    this.deciding = deciding;
    this.isJoined = isJoined;
  }

  steps(...kinds: readonly DataKind[]): readonly Source[] {
    return this.drafts
      .filter(({ gives, capability }) => kinds.includes(gives) && capability !== 'read')
      .map(({ id, gives }) => ({ from: 'step', step: id, kind: gives }));
  }

  readAll(wish: Wish): readonly Source[] {
    const out = outputPath(readView({ join: 'start', terms: wish.terms }));
    const paths = wish.terms.filter(
      (term) => term.kind === 'path' && term !== out && contentOfPath(term.text) !== undefined,
    );
    return paths.flatMap((path) => this.readPath(path) ?? []);
  }

  anyInputPath(): readonly Term[] {
    const { terms, wishes } = this.deciding.understanding;
    const outputs = new Set(
      wishes.flatMap(({ terms: own }) => outputPath(readView({ join: 'start', terms: own })) ?? []),
    );
    return terms.filter(
      (term) =>
        term.kind === 'path' && !outputs.has(term) && contentOfPath(term.text) !== undefined,
    );
  }

  readPath(path: Term): Source | undefined {
    const tool = this.deciding.tools.get('read')?.[0];
    if (!tool) return undefined;
    const known = this.read.get(path.text);
    if (known) return known;
    const id = this.#freeId('read');
    const gives = contentOfPath(path.text) === 'code' ? 'code' : 'text';
    this.drafts.push({
      id,
      capability: 'read',
      tool,
      sources: [],
      text: '',
      slots: findSlots([]),
      path: path.text,
      gives,
    });
    const source: Source = { from: 'step', step: id, kind: gives };
    this.read.set(path.text, source);
    if (gives === 'code') this.code = [...this.code, source];
    return source;
  }

  /** One more step for a wish; gives what later steps take from it. */
  push(step: NewStep): Source {
    const { wish, tool, sources, more = {} } = step;
    const { message, understanding } = this.deciding;
    const id = this.#freeId(wish.capability);
    const gives = givenBy[wish.capability];
    const own = findSlots(wish.terms);
    const { framework = '', testFramework = '' } = understanding.slots;
    const language =
      own.languages[0] ??
      understanding.slots.languages[0] ??
      languageOfFramework[framework] ??
      languageOfFramework[testFramework];
    this.drafts.push({
      id,
      capability: wish.capability,
      tool,
      sources,
      text: textOf(message, wish.terms),
      slots: withShared(own, understanding.slots, wish.capability),
      gives,
      ...(language !== undefined && { language }),
      ...more,
    });
    return { from: 'step', step: id, kind: gives };
  }

  #freeId(capability: Capability): string {
    const name = stepNames[capability];
    const taken = this.drafts.filter(({ id }) => id === name || id.startsWith(`${name}_`)).length;
    return taken === 0 ? name : `${name}_${taken + 1}`;
  }
}

/** What is said anywhere in the message holds for the steps that take it; what a step is told itself goes first. */
function withShared(own: Slots, all: Slots, capability: Capability): Slots {
  if (capability === 'tests') return { ...pick(all, ['testFramework', 'coverage']), ...own };
  const takesStyle = capability === 'code' || capability === 'format' || capability === 'fixes';
  return takesStyle ? { ...pick(all, ['framework', 'styleGuide', 'lineLength']), ...own } : own;
}

function pick(slots: Slots, names: readonly (keyof Slots)[]): Partial<Slots> {
  return Object.fromEntries(
    names.filter((name) => slots[name] !== undefined).map((name) => [name, slots[name]]),
  );
}

function textOf(message: string, terms: readonly Term[]): string {
  return message.slice(terms[0]?.start ?? 0, terms.at(-1)?.end ?? 0).trim();
}
