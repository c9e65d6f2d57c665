import { reconcileMetaKey, type Tool, type ToolAnnotations } from '../../contract/tool/index.ts';

/** The hint values that ask for less care. */
const looseHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const satisfies Partial<ToolAnnotations>;

type Hint = keyof typeof looseHints;

/** Whether a hint asks for less care than before. */
export function isLooser(hint: Hint, value: unknown, before: unknown): boolean {
  return value === looseHints[hint] && before !== looseHints[hint];
}

export const hints = Object.keys(looseHints) as readonly Hint[];

/**
 * A tool of an untrusted server, as Tutti treats it: annotations count only where they ask for more care.
 * Clients see the original annotations.
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
