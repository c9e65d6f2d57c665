/** What is left out or named otherwise for a server that does not take it. */
export type Adaptation =
  | 'no-response-format'
  | 'no-temperature'
  | 'no-stream-options'
  | 'no-stop'
  | 'completion-tokens';

/** Each once, and then it is over. */
export const maxAdaptations = 5;

const signs: readonly (readonly [RegExp, Adaptation])[] = [
  [/max_completion_tokens/i, 'completion-tokens'],
  [/stream_options|include_usage/i, 'no-stream-options'],
  [/response_format|json_schema|json_object|structured output|grammar/i, 'no-response-format'],
  [/temperature/i, 'no-temperature'],
  [/\bstop\b/i, 'no-stop'],
];

/** What to do about a refused request; undefined where nothing is known that might help. */
export function adaptationFor(
  refusal: string,
  state: { readonly isJson: boolean; readonly known: ReadonlySet<Adaptation> },
): Adaptation | undefined {
  for (const [sign, adaptation] of signs) {
    if (sign.test(refusal) && !state.known.has(adaptation)) return adaptation;
  }
  // Many servers refuse a response format without naming it.
  return state.isJson && !state.known.has('no-response-format') ? 'no-response-format' : undefined;
}

type Body = Readonly<Record<string, unknown>>;

export function adaptBody(body: Body, adaptations: ReadonlySet<Adaptation>): Body {
  const changed: Record<string, unknown> = { ...body };
  if (adaptations.has('no-response-format')) delete changed['response_format'];
  if (adaptations.has('no-temperature')) delete changed['temperature'];
  if (adaptations.has('no-stream-options')) delete changed['stream_options'];
  if (adaptations.has('no-stop')) delete changed['stop'];
  if (adaptations.has('completion-tokens')) {
    changed['max_completion_tokens'] = changed['max_tokens'];
    delete changed['max_tokens'];
  }
  return changed;
}
