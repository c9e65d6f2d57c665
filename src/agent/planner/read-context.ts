import type { PathReading } from './find-paths.ts';
import type { Toolset } from './learn-tools.ts';
import { languageOf } from './lexicon.ts';
import type { GivenAttachment, PlanningRequest } from '../planning.ts';
import type { Clause } from './read-clauses.ts';
import type { Slots } from './read-slots.ts';
import { has, isSignificant, type FoundPath, type Word } from './read-words.ts';
import type { ToolProfile } from './tool-profile.ts';

/** Something a step can work on: a text, a path, or what an earlier step gives. */
export interface Material {
  readonly kind: 'code' | 'tests' | 'spec' | 'review' | 'text' | 'path';
  readonly content?: string;
  readonly path?: FoundPath;
  readonly draft?: Draft;
  readonly language?: string;
  /** The tool that made it, by its full name. */
  readonly madeBy?: string;
  /** The file that it was made of. */
  readonly origin?: string | undefined;
}

/** A clause with the tool that is to do it. */
export interface Choice {
  readonly clause: Clause;
  readonly profile: ToolProfile;
  readonly slots: Slots;
  /** The user's words for it. */
  readonly text: string;
}

/** A step before its arguments are written out. */
export interface Draft extends Pick<Choice, 'profile' | 'slots' | 'text'> {
  readonly id: string;
  /** What it works on. */
  readonly subject?: Material | undefined;
  /** A specification, findings or a document that it is to take into account. */
  readonly extra?: Material | undefined;
  /** Where a result goes. */
  readonly target?: string | undefined;
}

/** All that a message is read from. */
export interface Situation extends Toolset {
  readonly request: PlanningRequest;
  /** The message without its code. */
  readonly prose: string;
  readonly reading: PathReading;
  readonly context: ReturnType<typeof readContext>;
}

export function readContext(request: PlanningRequest, code?: string) {
  const { attachments, remembered, history } = request;
  const pasted = code === undefined ? [] : [{ kind: 'code', content: code }];
  const last = history.findLast(({ role, plan }) => role === 'assistant' && plan)?.plan;
  const paths = (last?.steps ?? []).map(({ args }) => args?.['path']);
  return {
    // Came with this message: attachments, then pasted code.
    given: [...attachments, ...pasted].map((one) => materialOf(one)),
    // From earlier turns, newest first.
    remembered: remembered.map((one): Material => {
      const turn = history.find(({ runId }) => runId !== undefined && runId === one.runId);
      const madeBy = turn?.plan?.steps.find(({ id }) => id === one.step)?.tool;
      const language = one.language ?? languageOf(one.path ?? '');
      const made = materialOf({ ...one, language, name: one.title });
      return { ...made, ...(madeBy && { madeBy }), origin: one.path };
    }),
    // Of the last plan: what it worked on, its only tool, and what it was made for.
    lastPath: paths.find(
      (path): path is string => typeof path === 'string' && !path.includes('${'),
    ),
    lastTool: last?.steps.length === 1 ? last.steps[0]?.tool : undefined,
    lastGoal: last?.goal,
  };
}

function materialOf({ kind = '', content, language, name = kind }: GivenAttachment): Material {
  const known = (['code', 'tests', 'spec', 'review'] as const).find((one) => one === kind);
  const isText = kind === 'report' || kind === 'text' || /\.(?:md|txt|rst|log|csv)$/iu.test(name);
  return {
    kind: known ?? (isText ? 'text' : 'code'),
    ...(content !== undefined && { content }),
    ...(language !== undefined && { language }),
  };
}

/** "delete a.txt": where nothing else is spoken of. */
export function isDeletion(words: readonly Word[]): boolean {
  const said = words.filter((word) => isSignificant(word) && !has(word, 'pronouns', 'light'));
  const isFile = ({ kind, path, meaning }: Word): boolean =>
    kind === 'path' || path !== undefined || meaning.nouns.includes('file');
  const [deed, ...others] = said.filter((word) => !isFile(word));
  return has(deed, 'deletes') && others.length === 0 && said.length > 1;
}
