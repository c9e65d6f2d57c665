import type { Step } from '../../contract/plan/index.ts';
import type { PlanningRequest } from './plan-request.ts';
import type { FoundPath } from './read-words.ts';

/** Something a step can work on. */
export interface Material {
  readonly kind: 'code' | 'tests' | 'spec' | 'review' | 'text' | 'path';
  readonly path?: FoundPath;
  /** Absent where only a path is known. */
  readonly content?: string;
  readonly title: string;
  readonly language?: string;
  /** The tool that made it, by its full name. */
  readonly madeBy?: string;
}

export interface Context {
  /** Came with this message: attachments, then pasted code. */
  readonly given: readonly Material[];
  /** From earlier turns, newest first. */
  readonly remembered: readonly Material[];
  /** The path that the last plan worked on. */
  readonly lastPath?: string;
  readonly lastRequest?: string;
  /** Of the last plan, where it had only one. */
  readonly lastStep?: Step;
}

export function readContext(request: PlanningRequest, code: string | undefined): Context {
  const { attachments, remembered, history } = request;
  const pasted = code === undefined ? [] : [{ kind: 'code', name: 'pasted code', content: code }];
  const steps = history.findLast(({ role, plan }) => role === 'assistant' && plan)?.plan?.steps;
  const lastPath = (steps ?? [])
    .map(({ args }) => args?.['path'])
    .find((path) => typeof path === 'string' && !path.includes('${'));
  const lastRequest = history.findLast(({ role }) => role === 'user')?.text;
  return {
    given: [...attachments, ...pasted].map((one) => materialOf(one, one.name)),
    remembered: remembered.map((one) => {
      const made = history.find(({ runId }) => runId !== undefined && runId === one.runId);
      const madeBy = made?.plan?.steps.find(({ id }) => id === one.step)?.tool;
      return {
        ...materialOf(one, one.title),
        ...(madeBy !== undefined && { madeBy }),
      };
    }),
    ...(typeof lastPath === 'string' && { lastPath }),
    ...(steps?.length === 1 && steps[0] && { lastStep: steps[0] }),
    ...(lastRequest !== undefined && { lastRequest }),
  };
}

interface Kept {
  readonly kind?: string | undefined;
  readonly content?: string | undefined;
  readonly language?: string | undefined;
}

function materialOf({ kind = '', content, language }: Kept, title = kind): Material {
  const known = (['code', 'tests', 'spec', 'review'] as const).find((one) => one === kind);
  const isText = kind === 'report' || kind === 'text' || /\.(?:md|txt|rst|log|csv)$/iu.test(title);
  return {
    kind: known ?? (isText ? 'text' : 'code'),
    title,
    ...(content !== undefined && { content }),
    ...(language !== undefined && { language }),
  };
}
