import { testPath } from '../../contract/language/index.ts';
import {
  isDeletion,
  type Choice,
  type Draft,
  type Material,
  type Situation,
} from './read-context.ts';
import { readSlots } from './read-slots.ts';
import {
  has,
  isDescriptive,
  isSignificant,
  readWords,
  type FoundPath,
  type Word,
} from './read-words.ts';
import { changesField, givesCode, isWriter, pathKind, takes } from './tool-profile.ts';

export type Missing = 'code' | 'task' | 'content' | 'file' | 'model';

export type Drafted = ReturnType<typeof draftSteps>;

interface State extends Situation {
  readonly drafts: Draft[];
  /** What is needed and not found anywhere. */
  readonly missing: Set<Missing>;
  /** What the message spoke of last. */
  spokenOf: readonly Material[];
}

/** Connects the chosen tools: what one gives, the next takes. */
export function draftSteps(choices: readonly Choice[], situation: Situation) {
  const state: State = { ...situation, drafts: [], missing: new Set(), spokenOf: [] };
  for (const [at, given] of choices.entries()) {
    // "review and format a.py", "secrets and bugs in a.py": what only names a deed takes what the next works on.
    const { words, paths } = given.clause;
    const isShort = paths.length === 0 && isSameKind(words.filter(isSignificant));
    const next = isShort ? choices[at + 1]?.clause.paths : undefined;
    const choice = next ? { ...given, clause: { ...given.clause, paths: next } } : given;
    const { profile } = choice;
    const isSaving = isWriter(profile);
    const subjects = isSaving ? toBeSaved(choice, state) : toBeWorkedOn(choice, state);
    for (const subject of subjects.length > 0 ? subjects : [undefined]) {
      const extra = extraFor(choice, state);
      const target = isSaving ? targetOf(choice, subject) : undefined;
      // One text for one file: what was made of a folder is saved where the tool lists the changes.
      const maker = subject?.draft?.subject?.path?.kind === 'folder' && subject.draft.profile;
      if (maker && isSaving && !target && !changesField(profile, maker)) state.missing.add('file');
      const isThere =
        (target !== undefined && target === originOf(subject)) ||
        state.reading.files.has(target?.replace(/^(?:\.\/)+/u, '') ?? '');
      if (isThere && isTemplate(subject, state)) state.missing.add('model');
      addDraft({ ...choice, subject: readable(subject, choice, state), extra, target }, state);
    }
  }
  return { drafts: state.drafts, missing: [...state.missing] };
}

/** Made by a tool that gives a template only, or made of a template, so that it must not replace a file. */
function isTemplate(material: Material | undefined, state: State): boolean {
  if (!material?.draft) return state.tools.get(material?.madeBy ?? '')?.needsModel === true;
  const { profile, subject, extra } = material.draft;
  return profile.needsModel || isTemplate(subject, state) || isTemplate(extra, state);
}

function addDraft(parts: Omit<Draft, 'id'>, { drafts }: Pick<State, 'drafts'>): Draft {
  const { name } = parts.profile.entry.tool;
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 50);
  const isReserved = ['input', 'item', 'index', 'run', 'result'].includes(plain);
  const base = /^[A-Za-z]/u.test(plain) && !isReserved ? plain : `step_${plain}`;
  const same = drafts.filter(({ profile: { entry } }) => entry.tool.name === name).length;
  const draft = { ...parts, id: same === 0 ? base : `${base}_${same + 1}` };
  drafts.push(draft);
  return draft;
}

/** What "it" is: what is named, the code made before, what came along, what was shown last, the project. */
function toBeWorkedOn(choice: Choice, state: State): readonly Material[] {
  const { clause, profile, slots } = choice;
  const hasFiles = state.reading.files.size > 0;
  // A tree that cannot be seen may hold what is named; the folder of a model is no data.
  const ignored = takes(profile, 'model') ? 'folder' : hasFiles && 'new';
  const seen = clause.paths.filter(({ kind }) => kind !== ignored);
  // Of "everything in src" the folder is meant; a pattern goes where the tool takes one.
  const isPattern = ({ path }: FoundPath): boolean => takes(profile, 'glob') && path.includes('*');
  const narrow = seen.filter((one) => one.path !== '.' && !isPattern(one));
  const there = narrow.length > 0 ? narrow : seen.filter((one) => !isPattern(one));
  // What is searched for may have the name of a file; where, is a folder.
  const isSearch = takes(profile, 'query', 'required');
  const named = there.filter(({ kind }) => !isSearch || kind === 'folder').map(ofPath);
  const isTask = takes(profile, 'task', 'required');
  const isMaking = isTask && takes(profile, 'code') && !profile.isChange;
  if (named.length > 0 && !isMaking) state.spokenOf = named;
  const hasMaterial = state.context.given.length + state.context.remembered.length > 0;
  const isTold = clause.words.some(isDescriptive) || state.drafts.length > 0 || hasMaterial;
  if (isTask && !isTold && named.length === 0 && !profile.isChange) state.missing.add('task');
  if (isMaking || !(takes(profile, 'code') || takes(profile, 'path'))) return [];
  const worksOn = pathKind(profile);
  // Who imports a file is seen in the whole project.
  const isWider = named.every(isFile) || slots.single['imported'] !== undefined;
  if (named.length > 0) return worksOn === 'folder' && isWider && hasFiles ? [project] : named;
  const found = findSubject(choice, state);
  if (found.length > 0) return found;
  // Where nothing was made or shown, "this code" is all there is.
  const isOpen = !clause.pointsBack || clause.words.some((word) => has(word, 'ownCode'));
  const isWhole = hasFiles && worksOn !== undefined && worksOn !== 'file' && isOpen;
  const isRequired = takes(profile, 'path', 'required');
  if (isRequired && !(isWhole && worksOn === 'folder')) state.missing.add('file');
  else if (isWhole) return [project];
  // A tool that takes either code or a path needs one of them, and a change something to change.
  const isEither = takes(profile, 'code') && worksOn !== undefined;
  const isNeeded = isRequired || isEither || takes(profile, 'code', 'required');
  if (!isNeeded && !(isTask && profile.isChange)) return [];
  const made = makeFirst(choice, state);
  if (!made) state.missing.add('code');
  return made ? [made] : [];
}

/** Code that an earlier step makes, that the message or the conversation holds, or the file spoken of last. */
function findSubject(choice: Choice, state: State): readonly Material[] {
  const { clause, profile } = choice;
  const { context, drafts } = state;
  const made = drafts.filter((draft) => givesCode(draft.profile));
  if (made.length > 0 && takes(profile, 'code')) return made.slice(-1).map(madeBy);
  if (state.spokenOf.length > 0 && (clause.pointsBack || takes(profile, 'code')))
    return state.spokenOf;
  const given = context.given.filter(({ kind }) => kind !== 'review');
  // Earlier requests count where the message refers to them, and for what cannot take the whole project.
  const refersBack = clause.pointsBack || has(clause.words[0], 'joins', 'sequence');
  const isMeant = refersBack || !takes(profile, 'path') || takes(profile, 'path', 'required');
  const { lastPath, remembered } = context;
  const { files } = state.reading;
  const kind = files.size > 0 && !files.has(lastPath ?? '') ? 'folder' : 'file';
  const last = isMeant && lastPath ? [ofPath({ path: lastPath, kind })] : [];
  const kinds = isMeant || files.size === 0 ? ['code', 'tests', 'spec'] : [];
  const shown = kinds.flatMap((wanted) => remembered.filter(({ kind }) => kind === wanted));
  const before = takes(profile, 'path') ? [...last, ...shown] : [...shown, ...last];
  return [...given, ...before].slice(0, 1);
}

/** "tests for a poker hand evaluator": what is described and not found anywhere is made first. */
function makeFirst(choice: Choice, state: State): Material | undefined {
  const { clause, slots } = choice;
  const { maker: profile, prose: text, reading } = state;
  const isDescribed = reading.words.filter(isDescriptive).length > 1;
  if (!profile || clause.pointsBack || !isDescribed || reading.files.size > 0) return undefined;
  return madeBy(
    addDraft({ profile, slots, text, extra: extraFor({ ...choice, profile }, state) }, state),
  );
}

const ofPath = (path: FoundPath): Material => ({ kind: 'path', path });
const madeBy = (draft: Draft): Material => ({ kind: draft.profile.output.kind, draft });
const project = ofPath({ path: '.', kind: 'folder' });
const isSameKind = (words: readonly Word[]): boolean =>
  words.every(isDeed) || words.every((one) => !isDeed(one) && one.meaning.nouns.length > 0);
const isDeed = ({ meaning }: Word): boolean => meaning.verbs.length > 0;
const isFile = ({ path }: Material): boolean => path?.kind === 'file';

/** Where a tool takes no path, a step reads the file. */
function readable(subject: Material | undefined, choice: Choice, state: State) {
  const { profile, slots, text } = choice;
  const { reader, drafts, missing } = state;
  const isFolder = subject?.path?.kind === 'folder';
  const isReadBefore = takes(profile, 'code') && !takes(profile, 'path');
  // No tool reads a whole folder into one text.
  const isOneFile = isReadBefore || profile === reader || pathKind(profile) === 'file';
  if (isFolder && isOneFile) missing.add(profile.needsModel ? 'model' : 'file');
  if (!subject?.path || !reader || isFolder || !isReadBefore) return subject;
  const { path } = subject.path;
  const known = drafts.find((one) => one.profile === reader && one.subject?.path?.path === path);
  return madeBy(known ?? addDraft({ profile: reader, slots, text, subject }, { drafts }));
}

function extraFor({ clause, profile }: Choice, { drafts, context }: State): Material | undefined {
  if (!['content', 'task', 'error'].some((role) => takes(profile, role))) return undefined;
  const told = drafts.findLast(({ profile: { output } }) => /^(?:spec|text)$/u.test(output.kind));
  const draft = told ?? (takes(profile, 'code') ? undefined : drafts.at(-1));
  if (draft || drafts.length > 0) return draft && madeBy(draft);
  return [...context.given, ...context.remembered].find(
    ({ kind }) => kind === 'review' || kind === 'spec' || (kind === 'text' && clause.pointsBack),
  );
}

/** The last text that was made: the tests if they are spoken of. */
function toBeSaved({ clause, slots, profile, text }: Choice, state: State): readonly Material[] {
  const { drafts, context } = state;
  const said = new Set(clause.words.flatMap(({ meaning }) => [...meaning.verbs, ...meaning.nouns]));
  if (isDeletion(clause.words)) {
    // Files only: a folder is not deleted by a word.
    const files = clause.paths.filter(({ kind }) => kind === 'file');
    if (files.length === 0 || files.length < clause.paths.length) state.missing.add('file');
    return files.map(ofPath);
  }
  const made = drafts.filter(({ profile }) => profile.output.kind !== 'text');
  const tests = made.findLast(({ profile }) => profile.output.kind === 'tests');
  const last = (said.has('tests') ? tests : undefined) ?? made.at(-1) ?? drafts.at(-1);
  if (last) return [madeBy(last)];
  // What was shown before is written only where the user asks to save it; a change is applied to its own file only.
  const isSaved = said.has('save') || said.has('apply');
  const again = state.tools.get((isSaved && context.lastTool) || '');
  const isKept = context.remembered.some(({ origin }) => origin === context.lastPath);
  const isFree = said.has('save') || !clause.paths.some(({ kind }) => kind === 'file');
  const isOwn = (origin?: string): boolean => clause.paths.some(({ path }) => path === origin);
  const shown = context.remembered
    .filter(({ kind }) => kind === 'code' || kind === 'tests')
    .filter(({ origin }) => (isKept || again?.output.kind !== 'code') && (isFree || isOwn(origin)));
  const written = [slots.single['text'] ?? slots.quote].flat()[0];
  if (slots.single['addition'] && !takes(profile, 'addition')) state.missing.add('model');
  const told: readonly Material[] = written ? [{ kind: 'text', content: `${written}\n` }] : [];
  const material = [...context.given, ...(isSaved ? shown : []), ...told].slice(0, 1);
  // What was made of a folder is made again, to be saved as a whole.
  const { lastPath: path = '.', lastGoal = text } = context;
  const kind = state.reading.files.has(path) ? 'file' : 'folder';
  // So is what was made of a file, which may have changed since.
  const isAgain =
    kind === 'folder'
      ? material.length === 0 && again && changesField(profile, again)
      : material[0]?.origin === path && again?.output.kind === 'code' && !again.needsModel;
  const subject = ofPath({ path, kind });
  const goal = { text: lastGoal, slots: readSlots(readWords(lastGoal), lastGoal) };
  if (again && isAgain) return [madeBy(addDraft({ ...goal, profile: again, subject }, state))];
  if (material.length === 0) state.missing.add(said.has('change') ? 'model' : 'content');
  return material;
}

/** The path that is named; else tests go beside what they test, and changed code back where it came from. */
function targetOf({ clause }: Choice, subject: Material | undefined): string | undefined {
  const named = clause.paths.at(-1);
  if (named && named.kind !== 'folder') return named.path;
  const origin = originOf(subject);
  const kind = subject?.kind;
  if (origin === undefined || kind === 'spec' || kind === 'text') return undefined;
  const isElsewhere = named?.kind === 'folder' && named.path !== '.';
  const path = isElsewhere ? `${named.path}/${origin.split('/').at(-1) ?? origin}` : origin;
  return kind === 'tests' ? testPath(path) : path;
}

/** The file that a step's result was made of. */
export function originOf(material: Material | undefined): string | undefined {
  if (!material?.draft) return material?.origin;
  const { subject } = material.draft;
  if (subject?.draft) return originOf(subject);
  return subject?.path?.kind === 'folder' ? undefined : subject?.path?.path;
}
