import type { Remembered } from '../../../contract/session/index.ts';
import type { GivenAttachment, PlanningRequest } from '../plan-request.ts';
import { contentOfPath } from '../words/read-terms.ts';

export type GivenKind = 'code' | 'tests' | 'review' | 'spec' | 'text' | 'report';

/** Something that is there before the plan starts. */
export interface Given {
  readonly kind: GivenKind;
  readonly title: string;
  readonly content?: string;
  readonly artifact?: string;
  readonly language?: string;
  readonly isAttached: boolean;
}

/** All that a message can speak of without naming it. */
export interface Context {
  readonly given: readonly Given[];
  /** The latest answer left several pieces of code, so "this" may be any of them. */
  readonly isCodeUnclear: boolean;
  readonly lastRequest?: string;
  /** What the conversation made last. */
  readonly latest?: GivenKind;
  readonly hasHistory: boolean;
}

export function readContext(request: PlanningRequest, inlineCode: string | undefined): Context {
  const attached = request.attachments.map((attachment) => fromAttachment(attachment));
  if (inlineCode !== undefined) {
    attached.push({
      kind: 'code',
      title: 'the code in the message',
      content: inlineCode,
      isAttached: true,
    });
  }
  const remembered = request.remembered.map((item) => fromRemembered(item));
  const turns = request.history.filter(({ remembered: left }) => left.length > 0);
  const codes = turns.at(-1)?.remembered.filter(({ kind }) => kind === 'code').length ?? 0;
  const lastRequest = request.history.findLast(({ role }) => role === 'user')?.text;
  const latest = remembered[0]?.kind;
  return {
    given: [...attached, ...remembered],
    isCodeUnclear: codes > 1 && !attached.some(({ kind }) => kind === 'code'),
    ...(lastRequest !== undefined && { lastRequest }),
    ...(latest && { latest }),
    hasHistory: request.history.length > 0,
  };
}

/** The newest of the first kind that there is any of; what is attached goes before what is remembered. */
export function findGiven(context: Context, ...kinds: readonly GivenKind[]): Given | undefined {
  for (const kind of kinds) {
    const found = context.given.find((item) => item.kind === kind);
    if (found) return found;
  }
  return undefined;
}

function fromAttachment(attachment: GivenAttachment): Given {
  const { name, content, language } = attachment;
  return {
    kind: kindOfAttachment(attachment),
    title: name ?? 'the attachment',
    ...(content !== undefined && { content }),
    ...(language !== undefined && { language }),
    isAttached: true,
  };
}

const knownKinds: readonly GivenKind[] = ['code', 'tests', 'review', 'spec', 'text', 'report'];

function kindOfAttachment({ kind, name, language, content }: GivenAttachment): GivenKind {
  const known = knownKinds.find((one) => one === kind);
  if (known) return known;
  const file = name ?? '';
  if (/(?:^|[/_.-])(?:tests?|spec)(?:[_.-]|$)[^/]*\.(?!md|txt)\w+$/iu.test(file)) return 'tests';
  if (language !== undefined && !/^(?:markdown|text|plaintext|md)$/iu.test(language)) return 'code';
  const ending = contentOfPath(file);
  if (ending === 'code') return 'code';
  const isSpec =
    /spec|requirement|feature|story|prd/iu.test(file) ||
    /acceptance criteria|user story|requirements?:/iu.test((content ?? '').slice(0, 2_000));
  if (isSpec) return 'spec';
  return ending === 'text' ? 'text' : 'code';
}

function fromRemembered(item: Remembered): Given {
  const kind =
    item.kind === 'file' ? (contentOfPath(item.title) === 'text' ? 'text' : 'code') : item.kind;
  return {
    kind,
    title: item.title,
    ...(item.content !== undefined && { content: item.content }),
    ...(item.artifact !== undefined && { artifact: item.artifact }),
    ...(item.language !== undefined && { language: item.language }),
    isAttached: false,
  };
}
