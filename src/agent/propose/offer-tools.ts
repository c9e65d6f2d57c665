import type { Intent } from '../../contract/agent/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import {
  createCapability,
  findByOtherName,
  isAboutTutti,
  isOfferable,
  type Capability,
  type IsTrusted,
} from './capability.ts';

/** Where tools are looked for. */
export interface ToolSource {
  /** Those that fit what is to be done, best first. */
  find(query: string, count: number): Promise<readonly CatalogueEntry[]>;
  entries(): Promise<readonly CatalogueEntry[]>;
}

/** Tools put before a model at once: more cost tokens and make it choose worse. */
const maxOffered = 16;
const foundPerMessage = 10;
const foundPerGoal = 6;
const foundPerWish = 2;
const maxWishes = 12;

/** Tools that may fit the user's words, those they named first. */
export async function offerTools(
  source: ToolSource,
  words: string,
): Promise<readonly CatalogueEntry[]> {
  const all = await source.entries();
  const named = all.filter((entry) => isNamedIn(words, entry));
  const found = await source.find(words, foundPerMessage);
  return distinct([...named, ...found]).slice(0, maxOffered);
}

export interface FixedTools {
  readonly words: string;
  readonly offered: readonly CatalogueEntry[];
  readonly intent: Intent;
  readonly isTrusted: IsTrusted;
}

/** Fixes what the plan for this message may call; the intent was read from the user's words alone. */
export async function fixCapability(
  source: ToolSource,
  { words, offered, intent, isTrusted }: FixedTools,
): Promise<Capability> {
  const all = (await source.entries()).filter(isOfferable);
  const asked = all.filter((entry) => isNamedIn(words, entry));
  const wishes = intent.tools_needed.slice(0, maxWishes);
  const known = wishes.flatMap((wish) => {
    return all.find(({ name }) => name === wish) ?? findByOtherName(all, wish) ?? [];
  });
  asked.push(...known);
  // Where each wish is the name of a tool, there is nothing left to look for.
  const isClear = known.length > 0 && known.length === wishes.length;
  const searches = isClear ? [] : [intent.primary_goal, ...wishes];
  const found = await Promise.all(
    searches.map((wish, index) => source.find(wish, index === 0 ? foundPerGoal : foundPerWish)),
  );
  asked.push(...found.slice(1).flat());
  if (intent.open_ended) asked.push(...toolsForTasks(all, intent, isTrusted));
  const more = distinct([...offered, ...(found[0] ?? [])]).slice(0, maxOffered);
  return createCapability({ offered: more, asked: distinct(asked), isTrusted });
}

/** The one of Tutti's own tools by which a project is changed. */
const changeTool = 'workspace.apply_changes';

/**
 * Tools that a task of several rounds may need later, which cannot be foreseen at its start: Tutti's own tools that only read and stay on this
 * machine are all in; the one that changes files is in where the user's words ask for a change.
 */
function toolsForTasks(
  all: readonly CatalogueEntry[],
  intent: Intent,
  isTrusted: IsTrusted,
): CatalogueEntry[] {
  return all.filter((entry) => {
    if (!isTrusted(entry.server) || isAboutTutti(entry)) return false;
    if (entry.name === changeTool) return intent.changes_files === true;
    const { readOnlyHint, openWorldHint } = entry.tool.annotations ?? {};
    return readOnlyHint === true && openWorldHint === false;
  });
}

/** A dotted name, or one that is no plain word of a sentence. */
function isNamedIn(words: string, { name, tool, wireName }: CatalogueEntry): boolean {
  return [name, wireName, ...(tool.name.includes('_') ? [tool.name] : [])].some((one) =>
    holdsWord(words, one),
  );
}

function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

function distinct(entries: readonly CatalogueEntry[]): CatalogueEntry[] {
  return [
    ...new Map(entries.filter(isOfferable).map((entry) => [entry.name, entry] as const)).values(),
  ];
}
