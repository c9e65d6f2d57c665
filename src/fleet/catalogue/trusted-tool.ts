import { reconcileMetaKey, type Tool, type ToolAnnotations } from '../../contract/tool/index.ts';

/** What an annotation says that lets others be less careful with a tool. */
const looseHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const satisfies Partial<ToolAnnotations>;

type Hint = keyof typeof looseHints;

/** Whether a value of a hint means less care than another, or none. */
export function isLooser(hint: Hint, value: unknown, before: unknown): boolean {
  return value === looseHints[hint] && before !== looseHints[hint];
}

export const hints = Object.keys(looseHints) as readonly Hint[];

/**
 * A tool of a server that is not trusted, as it counts here: what the server says about it counts only where
 * it asks for more care. Clients are shown what the server says.
 */
export function withoutLooseHints(tool: Tool): Tool {
  const { annotations, _meta } = tool;
  const isLoose = hints.some((hint) => annotations?.[hint] === looseHints[hint]);
  const named: { readonly repeat?: unknown } = Object(_meta?.[reconcileMetaKey]);
  if (!isLoose && named.repeat === undefined) return tool;
  return {
    ...tool,
    ...(isLoose && { annotations: keptHints(annotations) }),
    ...(named.repeat !== undefined && {
      _meta: { ..._meta, [reconcileMetaKey]: { ...named, repeat: false } },
    }),
  };
}

function keptHints(annotations: ToolAnnotations = {}): ToolAnnotations {
  const entries = Object.entries(annotations).filter(
    ([name, value]) => !hints.some((hint) => hint === name && looseHints[hint] === value),
  );
  return Object.fromEntries(entries);
}
