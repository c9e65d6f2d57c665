import type { Context, Material } from './read-context.ts';
import type { Frame } from './read-frame.ts';
import type { Slots } from './read-slots.ts';
import type { FoundPath } from './read-words.ts';
import { recordOf, type ToolProfile } from './tool-profile.ts';

/** A clause with the tool that is to do it. */
export interface Choice {
  readonly frame: Frame;
  readonly profile: ToolProfile;
  readonly slots: Slots;
  /** The user's words for it. */
  readonly text: string;
}

export type Source =
  | { readonly from: 'step'; readonly draft: Draft }
  | { readonly from: 'material'; readonly material: Material };

/** A step before its arguments are written out. */
export interface Draft extends Omit<Choice, 'frame'> {
  readonly id: string;
  /** What it works on. */
  readonly subject: Source | undefined;
  /** A specification, findings or a document that it is to take into account. */
  readonly extra: Source | undefined;
  /** Where a result goes. */
  readonly target: string | undefined;
}

type Missing = 'code' | 'task' | 'content' | 'file' | 'model';

export interface Drafted {
  readonly drafts: readonly Draft[];
  /** What is needed and nowhere to be found. */
  readonly missing: readonly Missing[];
  /** Nothing said what to work on, so the whole project was taken. */
  readonly isScopeAssumed: boolean;
}

export interface DraftParts {
  readonly context: Context;
  readonly hasFiles: boolean;
  /** Files that are there. */
  readonly files: ReadonlySet<string>;
  /** Names of tools that give a template only. */
  readonly templates: ReadonlySet<string>;
  /** Reads a file into text, where a tool takes no path. */
  readonly reader: ToolProfile | undefined;
  /** Saves a text as a file. */
  readonly writer: ToolProfile | undefined;
}

interface State extends DraftParts {
  readonly drafts: Draft[];
  readonly missing: Set<Missing>;
  isScopeAssumed: boolean;
  /** What the message spoke of last. */
  spokenOf: readonly Source[];
}

/** Connects the chosen tools: what one gives, the next takes. */
export function draftSteps(choices: readonly Choice[], parts: DraftParts): Drafted {
  const nothing = { drafts: [], missing: new Set<Missing>(), isScopeAssumed: false, spokenOf: [] };
  const state: State = { ...parts, ...nothing };
  for (const choice of choices) {
    const subjects = isWriter(choice.profile)
      ? toBeSaved(choice, state)
      : toBeWorkedOn(choice, state);
    for (const subject of subjects.length > 0 ? subjects : [undefined]) {
      const extra = extraFor(choice, state);
      const isFolder = subject?.from === 'material' && subject.material.path?.kind === 'folder';
      if (isFolder && choice.profile === state.reader) state.missing.add('file');
      const target = isWriter(choice.profile) ? targetOf(choice, subject, state) : undefined;
      if (isThere(target, choice, { subject, state }) && isTemplate(subject, state))
        state.missing.add('model');
      addDraft(
        choice,
        { subject: subject && readable(subject, choice, state), extra, target },
        state,
      );
    }
  }
  saveNewFile(choices, state);
  const { drafts, missing, isScopeAssumed } = state;
  return { drafts, missing: [...missing], isScopeAssumed };
}

/** "write a parser in parse.py": where no clause saves it, it is saved there. */
function saveNewFile(choices: readonly Choice[], state: State): void {
  const { writer, drafts } = state;
  const making = choices.find(
    ({ frame }) => frame.isMaking && frame.paths.some(({ kind }) => kind === 'new'),
  );
  const draft = drafts.find(
    ({ profile, text }) => profile === making?.profile && text === making.text,
  );
  if (!making || !draft || !writer || choices.some(({ profile }) => isWriter(profile))) return;
  const target = making.frame.paths.find(({ kind }) => kind === 'new')?.path;
  addDraft(
    { ...making, profile: writer },
    { subject: { from: 'step', draft }, extra: undefined, target },
    state,
  );
}

/** Made by a tool that gives a template only, so that it must not replace what somebody wrote. */
function isTemplate(source: Source | undefined, state: State): boolean {
  if (source?.from === 'material') return state.templates.has(source.material.madeBy ?? '');
  if (source === undefined) return false;
  const { profile, subject, extra } = source.draft;
  // What is made of a template, such as its formatted text, is still one.
  return profile.needsModel || isTemplate(subject, state) || isTemplate(extra, state);
}

/** However its path is written: as a file that was found, or as one in the list. */
function isThere(
  target: string | undefined,
  { frame }: Choice,
  { subject, state }: { readonly subject: Source | undefined; readonly state: State },
): boolean {
  if (target === undefined) return false;
  const isNamed = frame.paths.some(({ path, kind }) => path === target && kind === 'file');
  const isOrigin = subject?.from === 'step' && originOf(subject.draft) === target;
  return isNamed || isOrigin || state.files.has(target.replace(/^(?:\.\/)+/u, ''));
}

function addDraft(
  { profile, slots, text }: Choice,
  more: Pick<Draft, 'subject' | 'extra' | 'target'>,
  { drafts }: State,
): Draft {
  const plain = profile.entry.tool.name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 50);
  const isReserved = ['input', 'item', 'index', 'run', 'result'].includes(plain);
  const base = /^[A-Za-z]/u.test(plain) && !isReserved ? plain : `step_${plain}`;
  const same = drafts.filter(
    ({ profile: { entry } }) => entry.tool.name === profile.entry.tool.name,
  ).length;
  const draft = { id: same === 0 ? base : `${base}_${same + 1}`, profile, slots, text, ...more };
  drafts.push(draft);
  return draft;
}

export function takes({ fields }: ToolProfile, role: string, how?: 'required'): boolean {
  return fields.some((field) => field.role === role && (how === undefined || field.isRequired));
}

/** Writes a text somewhere. */
export function isWriter(profile: ToolProfile): boolean {
  const isReadOnly = profile.entry.tool.annotations?.readOnlyHint === true;
  const takesText = takes(profile, 'content') || takes(profile, 'diff');
  return !isReadOnly && takes(profile, 'path') && takesText;
}

/** What "it" is: what is named, the code made before, what came along, what was shown last, the project. */
function toBeWorkedOn(choice: Choice, state: State): readonly Source[] {
  const { frame, profile } = choice;
  const { context, hasFiles } = state;
  // A tree that cannot be seen may hold what is named.
  const named = frame.paths.filter(({ kind }) => kind !== 'new' || !hasFiles).map(ofPath);
  if (named.length > 0 && !frame.isMaking) state.spokenOf = named;
  if (frame.isMaking || !(takes(profile, 'code') || takes(profile, 'path'))) return [];
  if (named.length > 0) return named;
  const count = frame.isForEach ? 2 : 1;
  const made = state.drafts.filter((draft) => makesCode(draft, state));
  if (made.length > 0 && takes(profile, 'code')) {
    return made.slice(-count).map((draft) => ({ from: 'step', draft }));
  }
  if (state.spokenOf.length > 0 && (frame.pointsBack || takes(profile, 'code')))
    return state.spokenOf;
  const given = context.given.filter(({ kind }) => kind !== 'review');
  const shown = context.remembered.filter(
    ({ kind }) => kind === 'code' || kind === 'tests' || kind === 'spec',
  );
  const last =
    context.lastPath === undefined || !goesOn(choice, state)
      ? []
      : [ofPath({ path: context.lastPath, kind: 'file' })];
  const material = [
    ...given,
    ...shown.toSorted((a, b) => Number(b.kind === 'code') - Number(a.kind === 'code')),
  ];
  const known = material.slice(0, count).map(ofMaterial);
  if (given.length === 0 && last.length > 0 && takes(profile, 'path')) return last;
  if (known.length > 0 || last.length > 0) return known.length > 0 ? known : last;
  if (hasFiles && takes(profile, 'path') && !frame.pointsBack) {
    state.isScopeAssumed = needsSubject(profile);
    return [ofPath({ path: '.', kind: 'folder' })];
  }
  const isChange = takes(profile, 'task', 'required') && frame.verb !== 'create';
  if (isChange && takes(profile, 'code')) state.missing.add('task');
  else if (needsSubject(profile)) state.missing.add('code');
  return [];
}

/** The path of the request before counts where the message refers to it, and for what takes no folder. */
function goesOn({ frame, profile, text }: Choice, { reader }: State): boolean {
  const isJoined = /^(?:and|also|now|then|next|und|et|y)\b/iu.test(text);
  const isAboutFindings = frame.features.has('review') && frame.verb !== 'review';
  const isSingle =
    !takes(profile, 'path') || profile === reader || takes(profile, 'path', 'required');
  return frame.pointsBack || isJoined || isAboutFindings || isSingle;
}

/** A tool that takes either code or a path needs one of them. */
function needsSubject(profile: ToolProfile): boolean {
  const isRequired = takes(profile, 'code', 'required') || takes(profile, 'path', 'required');
  return isRequired || (takes(profile, 'code') && takes(profile, 'path'));
}

function makesCode({ profile }: Draft, { reader, drafts }: State): boolean {
  if (profile === reader) return drafts.at(-1)?.profile === reader;
  return profile.output.kind === 'code';
}

function ofPath(path: FoundPath): Source {
  return ofMaterial({ kind: 'path', path, title: path.path });
}

function ofMaterial(material: Material): Source {
  return { from: 'material', material };
}

/** Where a tool takes no path, a step reads the file. */
function readable(subject: Source, choice: Choice, state: State): Source {
  const { reader } = state;
  const isPath = subject.from === 'material' && subject.material.kind === 'path';
  if (!isPath || !reader || takes(choice.profile, 'path') || !takes(choice.profile, 'code'))
    return subject;
  // No tool reads a whole folder into one text.
  if (subject.material.path?.kind === 'folder') {
    state.missing.add(choice.profile.needsModel ? 'model' : 'file');
    return subject;
  }
  const known = state.drafts.find(
    ({ profile, subject: other }) =>
      profile === reader &&
      other?.from === 'material' &&
      other.material.title === subject.material.title,
  );
  const more = { subject, extra: undefined, target: undefined };
  return { from: 'step', draft: known ?? addDraft({ ...choice, profile: reader }, more, state) };
}

function extraFor({ frame, profile }: Choice, { drafts, context }: State): Source | undefined {
  if (!takes(profile, 'content') && !takes(profile, 'task')) return undefined;
  const told = drafts.findLast(
    ({ profile: { output } }) => output.kind === 'spec' || output.kind === 'text',
  );
  const last = frame.isMaking || !takes(profile, 'code') ? drafts.at(-1) : undefined;
  const draft = told ?? last;
  if (draft) return { from: 'step', draft };
  if (frame.isMaking || drafts.length > 0) return undefined;
  const material = [...context.given, ...context.remembered].find(
    ({ kind }) => kind === 'review' || kind === 'spec' || (kind === 'text' && frame.pointsBack),
  );
  return material && ofMaterial(material);
}

/** The last text that was made: the tests if they are spoken of, both if both are. */
function toBeSaved({ frame, profile }: Choice, state: State): readonly Source[] {
  const { drafts, context } = state;
  if (frame.verb === 'delete') return toBeDeleted({ frame, profile }, state);
  const made = drafts.filter(({ profile }) => profile.output.kind !== 'text');
  const tests = made.findLast(({ profile }) => profile.output.kind === 'tests');
  const last = (frame.features.has('tests') ? tests : undefined) ?? made.at(-1) ?? drafts.at(-1);
  const steps = frame.isForEach && made.length > 1 ? made.slice(-2) : last ? [last] : [];
  if (steps.length > 0) return steps.map((draft) => ({ from: 'step', draft }));
  const shown = context.remembered.filter(({ kind }) => kind === 'code' || kind === 'tests');
  // What was shown before is written only by someone who asks to save it.
  const isSaved = frame.verb === 'save' || frame.verb === 'apply';
  const material = [...context.given, ...(isSaved ? shown : [])].slice(0, 1).map(ofMaterial);
  if (material.length === 0) state.missing.add(frame.verb === 'change' ? 'model' : 'content');
  return material;
}

/** Files only: a folder is not deleted by a word. */
function toBeDeleted(
  { frame, profile }: Pick<Choice, 'frame' | 'profile'>,
  state: State,
): readonly Source[] {
  const files = frame.paths.filter(({ kind }) => kind === 'file');
  if (files.length === 0 || files.length < frame.paths.length || !deletionField(profile))
    state.missing.add('file');
  return files.map(ofPath);
}

/** The argument that lists changes of which one may be to delete a file. */
export function deletionField({ fields }: ToolProfile): string | undefined {
  return fields.find(({ schema }) => {
    const members = recordOf(recordOf(recordOf(schema)['items'])['properties']);
    return 'path' in members && recordOf(members['delete'])['type'] === 'boolean';
  })?.name;
}

/** The path that is named; else tests go beside what they test, and changed code back where it came from. */
function targetOf(
  { frame }: Choice,
  subject: Source | undefined,
  { context }: State,
): string | undefined {
  const named = frame.paths.at(-1);
  if (named && named.kind !== 'folder' && !frame.isForEach) return named.path;
  const origin = subject?.from === 'step' ? originOf(subject.draft) : context.lastPath;
  const kind =
    subject?.from === 'step' ? subject.draft.profile.output.kind : subject?.material.kind;
  if (origin === undefined || kind === 'spec' || kind === 'text') return undefined;
  const isElsewhere = named?.kind === 'folder' && named.path !== '.';
  const path = isElsewhere ? `${named.path}/${origin.split('/').at(-1) ?? origin}` : origin;
  return kind === 'tests' ? testPath(path) : path;
}

function originOf({ subject }: Draft): string | undefined {
  if (subject?.from === 'step') return originOf(subject.draft);
  const path = subject?.material.path;
  return path?.kind === 'folder' ? undefined : path?.path;
}

/** As each language's tools look for tests. */
export function testPath(path: string): string {
  const [, folder = '', name = '', ending = ''] = /^(.*\/)?([^/]*?)(\.[^./]+)?$/u.exec(path) ?? [];
  if (ending === '.py') return `${folder}test_${name}${ending}`;
  if (/^\.(?:go|rs|rb)$/u.test(ending)) return `${folder}${name}_test${ending}`;
  if (/^\.(?:java|kt|cs)$/u.test(ending)) return `${folder}${name}Test${ending}`;
  return `${folder}${name}.test${ending}`;
}
