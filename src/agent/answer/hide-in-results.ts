import type { Json } from '../../contract/plan/index.ts';
import type { HideSecrets } from '../../contract/secret/index.ts';
import { counted } from '../../kernel/index.ts';
import type { StepResult } from './results-of-run.ts';

/** Results as a model may see them. Those that plans refer to stay as they are. */
export function hideInResults(
  results: readonly StepResult[],
  hide: HideSecrets | undefined,
): readonly StepResult[] {
  if (!hide) return results;
  return results.map((result) => ({
    ...result,
    output: hideInValue(result.output, hide),
    ...(result.text !== undefined && { text: hide(result.text).text }),
  }));
}

function hideInValue(value: Json, hide: HideSecrets): Json {
  if (typeof value === 'string') return hide(value).text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => hideInValue(one, hide));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hideInValue(inner, hide)]),
  );
}

/** Texts of results as they may be shown, which count what they hide. */
export function createHiddenTexts(hide: HideSecrets | undefined): {
  readonly show: (text: string) => string;
  /** Says what was hidden; empty where nothing was. */
  readonly note: () => string;
} {
  let hidden = 0;
  return {
    show: (text) => {
      if (!hide || text === '') return text;
      const { text: shown, count } = hide(text);
      hidden += count;
      return shown;
    },
    note: () =>
      hidden === 0 ? '' : `${counted(hidden, 'secret')} ${hidden === 1 ? 'is' : 'are'} hidden.`,
  };
}
