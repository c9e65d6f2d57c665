import type { ErrorReport } from '../../contract/error/index.ts';
import type { ApproveInput } from '../engine/activity-data.ts';
import { approvalSignal, askKeyOfVerdict, pathOfKey } from './keys.ts';
import type { PictureWait } from './run-picture.ts';
import type { StepPicture } from './step-picture.ts';

interface OpenWait {
  readonly key: string;
  readonly signal: string;
  readonly step: StepPicture;
  readonly dueMs: number | undefined;
  /** What was asked for, by the key of the asking. */
  readonly approvals: ReadonlyMap<string, ApproveInput>;
}

/** What a key waits for follows from how it is written. */
export function pictureWait({ key, signal, step, dueMs, approvals }: OpenWait): PictureWait {
  const path = pathOfKey(key);
  const wait = { step: path, key, signal };
  const error = step.error ?? noError;
  switch (key.charAt(path.length)) {
    case '!': {
      const asked = approvals.get(askKeyOfVerdict(key));
      return {
        ...wait,
        kind: 'approval',
        approvalId: signal.slice(approvalSignal('').length),
        message: asked?.message ?? null,
        tool: asked?.tool ?? null,
        args: asked?.args ?? { value: {} },
        expiresAt: dueMs ?? null,
      };
    }
    case '?':
      return { ...wait, kind: 'resolve', tool: step.tool ?? '', message: error.message };
    case '+':
      return { ...wait, kind: 'repair', error };
    default:
      return { ...wait, kind: 'signal' };
  }
}

const noError: ErrorReport = { code: 'internal.bug', message: '', details: {} };
