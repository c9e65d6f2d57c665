import { basename } from 'node:path';
import { localCaller } from '../../contract/caller/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import { sayDay } from '../../kernel/index.ts';
import { UnknownNameError } from '../errors.ts';
import { type Invocation, withSystem } from '../invocation.ts';
import { cutText, formatColumns } from '../output.ts';
import { actionsOf } from '../run-action.ts';

export const run = actionsOf('preferences', {
  list: { run: listPreferences, takes: [], options: [] },
  why: { run: explainPreferences, takes: ['TEXT…'], options: [] },
  forget: { run: forgetPreference, takes: ['TEXT…'], options: [] },
});

/** Of the user's words, in a list. */
const maxShown = 60;

function listPreferences(invocation: Invocation): Promise<number> {
  return withSystem(invocation, {}, async ({ memory }) => {
    const held = (await memory.preferences(localCaller)).filter(isHeld);
    invocation.output.result(held, () =>
      held.length === 0
        ? 'There are none: say "I prefer …" in a message'
        : formatColumns(
            held.map((one) => [one.text, scopeOf(one), cutText(reasonOf(one), maxShown)]),
          ),
    );
    return 0;
  });
}

/** What a preference rests on, and what held before it. */
function explainPreferences(invocation: Invocation, said: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ memory }) => {
    const all = await memory.preferences(localCaller);
    const words = said.join(' ').toLowerCase().split(/\s+/);
    const meant = all
      .filter(isHeld)
      .filter(({ text, topic }) =>
        words.every((word) => `${text} ${topic}`.toLowerCase().includes(word)),
      );
    if (meant.length === 0) {
      const known = all.filter(isHeld).map(({ text }) => text);
      throw new UnknownNameError('preference', said.join(' '), known);
    }
    const explained = meant.map((one) => ({ ...one, before: pastOf(one, all) }));
    invocation.output.result(explained, () => explained.map(storyOf).join('\n'));
    return 0;
  });
}

function forgetPreference(invocation: Invocation, said: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async ({ memory }) => {
    const forgotten = await memory.forget(localCaller, said.join(' '));
    invocation.output.result({ forgotten }, () => `Forgotten: ${forgotten.join(', ')}`);
    return 0;
  });
}

function isHeld({ state }: Preference): boolean {
  return state === 'active' || state === 'suggested';
}

function pastOf(one: Preference, all: readonly Preference[]): readonly Preference[] {
  return all.filter(
    ({ state, topic, project }) =>
      state === 'past' && topic === one.topic && project === one.project,
  );
}

function scopeOf({ project, language, state }: Preference): string {
  const where = [
    ...(language === undefined ? [] : [language]),
    ...(project === undefined ? [] : [`in ${basename(project)}`]),
    ...(state === 'suggested' ? ['suggested'] : []),
  ];
  return where.length === 0 ? 'everywhere' : where.join(', ');
}

function reasonOf({ origin, evidence, learnedAt }: Preference): string {
  const day = sayDay(learnedAt, Date.now());
  return origin === 'edit' ? `${evidence} (${day})` : `you said "${evidence}" ${day}`;
}

function storyOf(one: Preference & { readonly before: readonly Preference[] }): string {
  const { text, source, before, state } = one;
  const from = source ? `, in session ${source.session}, turn ${source.turn}` : '';
  const only = state === 'suggested' ? ' Only suggested: plans with it are shown first.' : '';
  const earlier = before.map(
    (past) => `  before, until ${lastDay(past)}: ${past.text} (${reasonOf(past)})`,
  );
  return [`${text}: ${reasonOf(one)}${from}.${only}`, ...earlier].join('\n');
}

function lastDay({ endedAt = '' }: Preference): string {
  return sayDay(endedAt, Date.now()).replace(/^on /, '');
}
