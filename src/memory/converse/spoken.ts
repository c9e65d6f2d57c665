import type { Remembered, Turn } from '../../contract/session/index.ts';

/** A part of a conversation, as it goes before a model. */
export type Piece = string | Turn | Remembered;

/** Every word of a piece that a prompt may have in it. Tokens are counted of this. */
export function spoken(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  return 'role' in piece ? turnText(piece) : rememberedText(piece);
}

function turnText({ role, text, questions = [], plan, remembered }: Turn): string {
  const steps = (plan?.steps ?? []).map(({ id, tool = '' }) => `${id} ${tool}`);
  const kept = remembered.map(rememberedText);
  return [`${role}: ${text}`, ...questions, ...steps, ...kept].join('\n');
}

function rememberedText({ kind, title, language = '', content = '', artifact = '' }: Remembered) {
  return `${kind}: ${title} ${language} ${artifact}\n${content}`;
}

/**
 * What was said and with which tools; the results themselves are in `remembered`. Plans that
 * were offered beside that of the turn are for who chooses one, not for a model.
 */
export function withoutContents({ plan, remembered, alternatives: _offered, ...turn }: Turn): Turn {
  return {
    ...turn,
    ...(plan && { plan: { version: plan.version, steps: plan.steps.map(nameOnly) } }),
    remembered: remembered.map(({ kind, title, language }) => ({
      kind,
      title,
      ...(language !== undefined && { language }),
    })),
  };
}

type Step = NonNullable<Turn['plan']>['steps'][number];

function nameOnly({ id, tool }: Step): Step {
  return { id, ...(tool !== undefined && { tool }) };
}
