import type { Clause } from './read-clauses.ts';
import type { Context, Material } from './read-context.ts';
import type { Slots } from './read-slots.ts';
import { has, isDescriptive, isSignificant, readWords, type FoundPath } from './read-words.ts';
import { deletionField, isWriter, takes, type ToolProfile } from './tool-profile.ts';

/** A clause with the tool that is to do it. */
export interface Choice {
  readonly clause: Clause;
  readonly profile: ToolProfile;
  /** Asks to change what is there, not for something new. */
  readonly isChange: boolean;
  readonly slots: Slots;
  /** The user's words for it. */
  readonly text: string;
}

export type Source =
  | { readonly from: 'step'; readonly draft: Draft }
  | { readonly from: 'material'; readonly material: Material };

/** A step before its arguments are written out. */
export interface Draft extends Pick<Choice, 'profile' | 'slots' | 'text'> {
  readonly id: string;
  /** What it works on. */
  readonly subject: Source | undefined;
  /** A specification, findings or a document that it is to take into account. */
  readonly extra: Source | undefined;
  /** Where a result goes. */
  readonly target: string | undefined;
}

export type Missing = 'code' | 'task' | 'content' | 'file' | 'model';

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
  /** The user's words for all of it. */
  readonly message: string;
  /** Reads a file into text, where a tool takes no path. */
  readonly reader: ToolProfile | undefined;
  /** Saves a text as a file. */
  readonly writer: ToolProfile | undefined;
  /** Makes new code of a description. */
  readonly maker: ToolProfile | undefined;
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
    const isSaving = isWriter(choice.profile);
    const subjects = isSaving ? toBeSaved(choice, state) : toBeWorkedOn(choice, state);
    for (const subject of subjects.length > 0 ? subjects : [undefined]) {
      const extra = extraFor(choice, state);
      const target = isSaving ? targetOf(choice, subject, state) : undefined;
      if (isThere(target, subject, state) && isTemplate(subject, state)) state.missing.add('model');
      const read = subject && readable(subject, choice, state);
      addDraft(choice, { subject: read, extra, target }, state);
    }
    saveNewFile(choice, choices, state);
  }
  const { drafts, missing, isScopeAssumed } = state;
  return { drafts, missing: [...missing], isScopeAssumed };
}

/** "write a parser in parse.py": where no clause saves it, it is saved there. */
function saveNewFile(choice: Choice, choices: readonly Choice[], state: State): void {
  const draft = state.drafts.at(-1);
  const target = choice.clause.paths.find(({ kind }) => kind === 'new')?.path;
  const isMade = draft?.profile.output.kind === 'code' && draft.subject === undefined;
  const isSaved = choices.some(({ profile }) => isWriter(profile));
  if (!isMade || target === undefined || isSaved || !state.writer || !state.hasFiles) return;
  const subject: Source = { from: 'step', draft };
  addDraft({ ...choice, profile: state.writer }, { subject, extra: undefined, target }, state);
}

/** Made by a tool that gives a template only, so that it must not replace a file. */
function isTemplate(source: Source | undefined, state: State): boolean {
  if (source?.from === 'material') return state.templates.has(source.material.madeBy ?? '');
  if (source === undefined) return false;
  const { profile, subject, extra } = source.draft;
  // What is made of a template, such as its formatted text, is still one.
  return profile.needsModel || isTemplate(subject, state) || isTemplate(extra, state);
}

function isThere(target: string | undefined, subject: Source | undefined, state: State): boolean {
  if (target === undefined) return false;
  const isOrigin = subject?.from === 'step' && originOf(subject.draft) === target;
  return isOrigin || state.files.has(target.replace(/^(?:\.\/)+/u, ''));
}

function addDraft(
  { profile, slots, text }: Pick<Choice, 'profile' | 'slots' | 'text'>,
  more: Pick<Draft, 'subject' | 'extra' | 'target'>,
  { drafts }: State,
): Draft {
  const { name } = profile.entry.tool;
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 50);
  const isReserved = ['input', 'item', 'index', 'run', 'result'].includes(plain);
  const base = /^[A-Za-z]/u.test(plain) && !isReserved ? plain : `step_${plain}`;
  const same = drafts.filter(({ profile: { entry } }) => entry.tool.name === name).length;
  const draft = { id: same === 0 ? base : `${base}_${same + 1}`, profile, slots, text, ...more };
  drafts.push(draft);
  return draft;
}

/** What "it" is: what is named, the code made before, what came along, what was shown last, the project. */
function toBeWorkedOn(choice: Choice, state: State): readonly Source[] {
  const { clause, profile } = choice;
  // A tree that cannot be seen may hold what is named.
  const there = clause.paths.filter(({ kind }) => kind !== 'new' || !state.hasFiles);
  const whole = there.filter(({ path }) => path === '.');
  // What is searched for may have the name of a file; where, is a folder.
  const scope = takes(profile, 'query', 'required')
    ? there.filter(({ kind }) => kind === 'folder')
    : there;
  const named = (whole.length > 0 && scope.length > 1 ? whole : scope).map(ofPath);
  const isMaking = asksForNew(choice, named, state);
  if (named.length > 0 && !isMaking) state.spokenOf = named;
  const isTask = takes(profile, 'task', 'required');
  const isTold = clause.words.some(isDescriptive) || state.drafts.length > 0 || hasMaterial(state);
  if (isTask && !isTold && named.length === 0 && !choice.isChange) state.missing.add('task');
  if (isMaking || !(takes(profile, 'code') || takes(profile, 'path'))) return [];
  if (named.length > 0) return named;
  const found = findSubject(choice, state);
  if (found.length > 0) return found;
  if (state.hasFiles && takes(profile, 'path') && !clause.pointsBack) {
    state.isScopeAssumed = needsSubject(profile);
    return [ofPath({ path: '.', kind: 'folder' })];
  }
  if (!needsSubject(profile) && !(isTask && choice.isChange)) return [];
  const made = makeFirst(choice, state);
  if (!made) state.missing.add('code');
  return made ? [made] : [];
}

function hasMaterial({ context }: State): boolean {
  return context.given.length + context.remembered.length > 0;
}

/** A description alone, and nothing that could be changed. */
function asksForNew(choice: Choice, named: readonly Source[], state: State): boolean {
  const { clause, profile, isChange } = choice;
  if (!takes(profile, 'task', 'required') || !takes(profile, 'code')) return false;
  if (named.some((one) => one.from === 'material' && one.material.path?.kind === 'file'))
    return false;
  if (!isChange) return !clause.words.some((word) => has(word, 'given'));
  const isNamed = clause.words.some((word) => has(word, 'indefinite'));
  return isNamed && !clause.pointsBack && findSubject(choice, state).length === 0;
}

/** Code that an earlier step makes, that the message or the conversation holds, or the file spoken of last. */
function findSubject(choice: Choice, state: State): readonly Source[] {
  const { clause, profile } = choice;
  const { context, drafts, reader } = state;
  const count = clause.isForEach ? 2 : 1;
  const made = drafts.filter((draft) =>
    draft.profile === reader ? draft === drafts.at(-1) : draft.profile.output.kind === 'code',
  );
  if (made.length > 0 && takes(profile, 'code'))
    return made.slice(-count).map((draft) => ({ from: 'step', draft }));
  if (state.spokenOf.length > 0 && (clause.pointsBack || takes(profile, 'code')))
    return state.spokenOf;
  const given = context.given.filter(({ kind }) => kind !== 'review');
  const last =
    context.lastPath === undefined || !goesOn(choice, state)
      ? []
      : [ofPath({ path: context.lastPath, kind: 'file' })];
  if (given.length === 0 && last.length > 0 && takes(profile, 'path')) return last;
  const shown = context.remembered.filter(({ kind }) => /^(?:code|tests|spec)$/u.test(kind));
  const code = shown.toSorted((a, b) => Number(b.kind === 'code') - Number(a.kind === 'code'));
  const known = [...given, ...code].slice(0, count).map(ofMaterial);
  return known.length > 0 ? known : last;
}

/** The path of the request before counts where the message refers to it, and for what takes no folder. */
function goesOn({ clause, profile, text }: Choice, { reader }: State): boolean {
  const isJoined = /^(?:and|also|now|then|next|und|et|y)\b/iu.test(text);
  const isSingle =
    !takes(profile, 'path') || profile === reader || takes(profile, 'path', 'required');
  return clause.pointsBack || isJoined || isSingle;
}

/** "tests for a poker hand evaluator": what is described and nowhere to be found is made first. */
function makeFirst({ clause, slots }: Choice, state: State): Source | undefined {
  const { maker, message } = state;
  const isDescribed = readWords(message).filter(isDescriptive).length > 1;
  if (!maker || clause.pointsBack || !isDescribed || state.hasFiles) return undefined;
  const more = {
    subject: undefined,
    extra: extraFor({ clause, profile: maker }, state),
    target: undefined,
  };
  return { from: 'step', draft: addDraft({ profile: maker, slots, text: message }, more, state) };
}

/** A tool that takes either code or a path needs one of them. */
function needsSubject(profile: ToolProfile): boolean {
  const isRequired = takes(profile, 'code', 'required') || takes(profile, 'path', 'required');
  return isRequired || (takes(profile, 'code') && takes(profile, 'path'));
}

function ofPath(path: FoundPath): Source {
  return ofMaterial({ kind: 'path', path, title: path.path });
}

function ofMaterial(material: Material): Source {
  return { from: 'material', material };
}

/** Where a tool takes no path, a step reads the file. */
function readable(subject: Source, choice: Choice, state: State): Source {
  const { reader, drafts, missing } = state;
  const isPath = subject.from === 'material' && subject.material.kind === 'path';
  const isFolder = isPath && subject.material.path?.kind === 'folder';
  if (isFolder && choice.profile === reader) missing.add('file');
  if (!isPath || !reader || takes(choice.profile, 'path') || !takes(choice.profile, 'code'))
    return subject;
  // No tool reads a whole folder into one text.
  if (isFolder) {
    missing.add(choice.profile.needsModel ? 'model' : 'file');
    return subject;
  }
  const known = drafts.find(
    ({ profile, subject: other }) =>
      profile === reader &&
      other?.from === 'material' &&
      other.material.title === subject.material.title,
  );
  const more = { subject, extra: undefined, target: undefined };
  return { from: 'step', draft: known ?? addDraft({ ...choice, profile: reader }, more, state) };
}

function extraFor(
  { clause, profile }: Pick<Choice, 'clause' | 'profile'>,
  { drafts, context }: State,
): Source | undefined {
  if (!takes(profile, 'content') && !takes(profile, 'task')) return undefined;
  const told = drafts.findLast(
    ({ profile: { output } }) => output.kind === 'spec' || output.kind === 'text',
  );
  const last = takes(profile, 'code') ? undefined : drafts.at(-1);
  const draft = told ?? last;
  if (draft) return { from: 'step', draft };
  if (drafts.length > 0) return undefined;
  const material = [...context.given, ...context.remembered].find(
    ({ kind }) => kind === 'review' || kind === 'spec' || (kind === 'text' && clause.pointsBack),
  );
  return material && ofMaterial(material);
}

/** The last text that was made: the tests if they are spoken of, both if both are. */
function toBeSaved(choice: Choice, state: State): readonly Source[] {
  const { clause } = choice;
  const { drafts, context } = state;
  const said = new Set(clause.words.flatMap(({ meaning }) => [...meaning.verbs, ...meaning.nouns]));
  if (isDeletion(clause)) return toBeDeleted(choice, state);
  const made = drafts.filter(({ profile }) => profile.output.kind !== 'text');
  const tests = made.findLast(({ profile }) => profile.output.kind === 'tests');
  const last = (said.has('tests') ? tests : undefined) ?? made.at(-1) ?? drafts.at(-1);
  const steps = clause.isForEach && made.length > 1 ? made.slice(-2) : last ? [last] : [];
  if (steps.length > 0) return steps.map((draft) => ({ from: 'step', draft }));
  const shown = context.remembered.filter(({ kind }) => kind === 'code' || kind === 'tests');
  // What was shown before is written only where the user asks to save it.
  const isSaved = said.has('save') || said.has('apply');
  const material = [...context.given, ...(isSaved ? shown : [])].slice(0, 1).map(ofMaterial);
  if (material.length === 0) state.missing.add(said.has('change') ? 'model' : 'content');
  return material;
}

/** "delete a.txt and b.txt": nothing but files is named. */
export function isDeletion({ words }: Pick<Clause, 'words'>): boolean {
  const [verb, ...said] = words.filter((word) => isSignificant(word) && !has(word, 'pronouns'));
  const isFile = (word: (typeof words)[number]): boolean =>
    word.path !== undefined || word.kind === 'path' || word.meaning.nouns.includes('file');
  return (
    /^(?:delete|remove|rm|erase)$/u.test(verb?.plain ?? '') && said.length > 0 && said.every(isFile)
  );
}

/** Files only: a folder is not deleted by a word. */
function toBeDeleted({ clause, profile }: Choice, state: State): readonly Source[] {
  const files = clause.paths.filter(({ kind }) => kind === 'file');
  if (files.length === 0 || files.length < clause.paths.length || !deletionField(profile))
    state.missing.add('file');
  return files.map(ofPath);
}

/** The path that is named; else tests go beside what they test, and changed code back where it came from. */
function targetOf(
  { clause }: Choice,
  subject: Source | undefined,
  { context }: State,
): string | undefined {
  const named = clause.paths.at(-1);
  if (named && named.kind !== 'folder' && !clause.isForEach) return named.path;
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
