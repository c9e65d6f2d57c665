import type { Context, PackedContext } from '../../contract/context/index.ts';
import type { HideSecrets } from '../../contract/secret/index.ts';
import { countTokens } from '../../kernel/index.ts';

/** The whole id would cost as much as a short item. */
const shownIdChars = 16;
const cutMark = '\n… (cut)';
/** With less left than this, the beginning of a text says nothing. */
const minCutTokens = 50;
/** Texts are cut to this many characters a token before anything is counted: hardly any has more. */
const maxCharsPerToken = 8;

interface PackOptions {
  readonly id: string;
  readonly maxTokens: number;
  readonly hideSecrets: HideSecrets;
}

/**
 * As much of a context as fits, in the order of its items: each whole where it fits, the first that does not with its
 * beginning, later ones where they fit in what is left. Depends on nothing but the version and the number of tokens.
 */
export function packContext({ name, items }: Context, options: PackOptions): PackedContext {
  const { id, maxTokens, hideSecrets } = options;
  const title = `# Context ${name} (${id.slice(0, shownIdChars)})`;
  const blocks = [title];
  const packed: PackedContext['packed'] = [];
  const leftOut: PackedContext['leftOut'] = [];
  let hiddenSecrets = 0;
  let tokens = countTokens(title);
  let mayCut = true;
  for (const [index, item] of items.entries()) {
    const hidden = hideSecrets(item.text);
    const heading = `## ${index + 1}. ${item.kind}: ${item.title.replaceAll(/\s+/g, ' ')}`;
    const blockOf = (text: string): string => `\n\n${hideSecrets(heading).text}\n\n${text}`;
    const left = maxTokens - tokens;
    const cost = countTokens(blockOf(hidden.text));
    const isCut = cost > left;
    const block = isCut ? undefined : blockOf(hidden.text);
    const beginning = isCut && mayCut ? beginningOf(hidden.text, left, blockOf) : block;
    if (isCut && beginning !== undefined) mayCut = false;
    if (beginning === undefined) {
      leftOut.push({ title: item.title, tokens: cost });
      continue;
    }
    const taken = countTokens(beginning);
    blocks.push(beginning);
    tokens += taken;
    hiddenSecrets += hidden.count;
    packed.push({ title: item.title, tokens: taken, isCut });
  }
  return { id, text: blocks.join(''), tokens, maxTokens, packed, leftOut, hiddenSecrets };
}

/** The block with the longest beginning of its text that fits. */
function beginningOf(
  text: string,
  maxTokens: number,
  blockOf: (text: string) => string,
): string | undefined {
  if (maxTokens < minCutTokens) return undefined;
  const bounded = text.slice(0, maxTokens * maxCharsPerToken);
  const cutAt = (length: number): string => {
    // Half of a surrogate pair is no character.
    const end = /[\uD800-\uDBFF]/.test(bounded.charAt(length - 1)) ? length - 1 : length;
    return blockOf(bounded.slice(0, end) + cutMark);
  };
  let [fitting, tooMuch] = [0, bounded.length + 1];
  while (tooMuch - fitting > 1) {
    const middle = Math.floor((fitting + tooMuch) / 2);
    if (countTokens(cutAt(middle)) <= maxTokens) fitting = middle;
    else tooMuch = middle;
  }
  return fitting === 0 ? undefined : cutAt(fitting);
}
