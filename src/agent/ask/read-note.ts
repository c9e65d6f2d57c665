import { readShortReply } from '../../kernel/index.ts';

/** What a message asks of the memory. */
export type Note =
  | {
      readonly kind: 'remember';
      readonly text: string;
      readonly of: 'fact' | 'decision';
      /** In all projects, not only in this one. */
      readonly isEverywhere?: true;
      /** "no, …", "actually …" */
      readonly isCorrection?: true;
    }
  /** "no, the port is 7000": to be remembered where it corrects what was told before. */
  | { readonly kind: 'correct'; readonly text: string }
  /** From where the last answer is known. */
  | { readonly kind: 'source' }
  | { readonly kind: 'forget'; readonly text: string }
  /** Everything, or what is known about something. */
  | { readonly kind: 'recall'; readonly about: string | undefined }
  /** Why something is done as a preference says. */
  | { readonly kind: 'why'; readonly text: string };

const maxLength = 2_000;
const opening =
  /^(?:(?:please|hey|ok|okay|and|also|now|can you|could you|would you|i want you to|i'd like you to)[, ]+)*/i;

const remembering = [
  String.raw`(?:remember|memori[sz]e|keep in mind|bear in mind|do not forget|don't forget)(?: this| the following)?(?:,? that\b|:)?[: ]+(?<text>.+)`,
  String.raw`(?:save|store|put|add|write|keep) (?:this |that |it |the following )?(?:in|to|into) (?:your |the |my |our )?(?:long[- ]term )?memory(?:,? that\b|[:,.])? *(?<text>.+)`,
  String.raw`(?:(?:make|take|add) a note|note(?: down)?|for the record)(?:,? that\b|[:,])[: ]*(?<text>.+)`,
  String.raw`(?<text>.{8,}?)(?:[,;.:]| -)+ (?:please |and |so )?(?:remember|memori[sz]e|keep in mind|note|don't forget|do not forget) (?:that|this|it)(?: please| for (?:later|me))?`,
  String.raw`(?:merke? dir,?(?: dass\b|:)?|recuerda que|souviens-toi que|ricorda che|lembre(?:-se)?(?: de)? que) *(?<text>.+)`,
];
const forgetting = [
  String.raw`forget (?:that |about |what (?:i|we) (?:said|told you) about |everything (?:you know )?about |my preference (?:for|of|about) |the (?:note|fact|preference) (?:that |about )?)?(?<text>.+)`,
  String.raw`(?:delete|remove|erase|drop) (?:the (?:note|fact) (?:that |about )?)?(?<text>.+?) from (?:your|my|our) memory`,
  String.raw`(?:vergiss,?(?: dass\b)?|olvida que|oublie que|dimentica che) *(?<text>.+)`,
];
const forgettingLast = /^forget (?:it|that|this)[.!]*$/i;
const recalling = [
  String.raw`what (?:do you|have you) (?:know|remember|remembered|learn(?:ed|t)|stored?|saved?|noted?)(?: about (?<text>.+)|(?: so far| of me| from me)?)`,
  String.raw`(?:show|list|tell)(?: me)? (?:what you (?:know|remember)(?: about (?<text>.+))?|(?:your|my|all) (?:memories|notes|preferences))`,
  String.raw`what (?:did|have|had) (?:we|i) (?:decided?|agreed?(?: on)?|say|said|tell you|told you|noted?) (?:about|on|for|regarding) (?<text>.+)`,
  String.raw`what (?:did|have|had) (?:we|i) (?:ever |already )?(?:tell|told) you(?: so far| before| today)?`,
  String.raw`(?:what are|which are|do you know|do you remember) my preferences`,
  String.raw`was weißt du über (?<text>mich|.+)`,
];
const asking = [
  String.raw`why (?:do|did|would|will) you (?:always |still |now )?(?:use|using|indent with|format with|write|think (?:that )?i (?:prefer|like|want)|prefer) (?<text>.+)`,
];

const askingSource = [
  String.raw`(?:why|how|how come|since when) (?:do |did |would )?you (?:know|remember|say|think)(?: (?:about )?(?:that|this|it|so))?`,
  String.raw`where (?:do|did|have) you (?:get|got|take|have|know|hear|learn|find) (?:that|this|it)(?: out)?(?: from)?`,
  String.raw`(?:who|when did (?:i|we|who)) (?:told|tell|said|say)(?: you)? (?:that|this|it)(?: to you)?`,
  String.raw`what (?:is|was) (?:the|your) source(?: (?:of|for) (?:that|this|it))?`,
];
/** Before a statement that corrects another one. */
const correcting =
  /^(?:(?:no|nope|nah|wait|sorry|oops|well|correction)(?: ?[,:;.!]+ *| - | +(?=(?:actually|sorry|the|my|our|it)\b))|actually,? +)+(?=\S)/i;
/** Of the words that say a change, and not what is so now. */
const untilNow = /,? (?:now|instead)$/i;

/** "remember everywhere that …", "remember for all projects: …" */
const everywhere =
  /^(remember|memori[sz]e|keep in mind|bear in mind|note)(?: this)? (?:everywhere|(?:for|in) (?:all|every)(?: of)?(?: my)? projects?)\b/i;
/** A request to the memory of another server, by its own words. */
const elsewhere =
  /\b(?:entit(?:y|ies)|knowledge graph|nodes?|relations?|observations?|mcp|server)\b/i;
const decided = /\b(?:decided|decision|agreed|settled on|chose|chosen|beschlossen)\b/i;
const interrogative = /^(?:what|when|where|who|whom|which|why|how|me\b|the thing)/i;

/**
 * Reads a message as one to the memory: "remember that …", "forget that …", "what do you know about me?". Undefined for
 * all others; a short "forget it" is an answer to what was asked. "forget that" means what `before`, the last message, told.
 */
export function readNote(words: string, before = ''): Note | undefined {
  const said = words.trim().replaceAll('’', "'");
  if (said.length > maxLength || said.includes('\n')) return undefined;
  const asked = said.replace(opening, '');
  const wish = asked.replace(everywhere, '$1');
  const last = forgettingLast.test(wish) ? readNote(before) : undefined;
  if (last?.kind === 'remember') return { kind: 'forget', text: last.text };
  if (readShortReply(said) !== undefined) return undefined;
  const told = readTold(wish, said);
  if (told) return { ...told, ...(wish !== asked && { isEverywhere: true }) };
  const [forget, recall, why, source] = [forgetting, recalling, asking, askingSource].map(
    (patterns) => textIn(wish, patterns),
  );
  if (source) return { kind: 'source' };
  if (
    forget?.text !== undefined &&
    !elsewhere.test(said) &&
    !/^(?:it|that|this|me)$/i.test(forget.text)
  ) {
    return { kind: 'forget', text: forget.text };
  }
  if (why?.text !== undefined) return { kind: 'why', text: why.text };
  if (!recall) return readCorrection(said);
  const isAll = recall.text === undefined || /^(?:me|us|mich)$/i.test(recall.text);
  return { kind: 'recall', about: isAll ? undefined : recall.text };
}

function readTold(wish: string, said: string): Extract<Note, { kind: 'remember' }> | undefined {
  const found = textIn(wish.replace(correcting, '').replace(opening, ''), remembering);
  if (found?.text === undefined || said.endsWith('?')) return undefined;
  const plain = withoutCorrection(found.text);
  const isCorrection = correcting.test(wish) || plain !== found.text;
  const text = isCorrection ? plain.replace(untilNow, '') : found.text;
  if (!isTold(text)) return undefined;
  const of = decided.test(text) ? 'decision' : 'fact';
  return { kind: 'remember', text, of, ...(isCorrection && { isCorrection }) };
}

function readCorrection(said: string): Note | undefined {
  if (!correcting.test(said) || said.endsWith('?')) return undefined;
  const text = withoutCorrection(said)
    .replace(/[.!]+$/, '')
    .replace(untilNow, '')
    .trim();
  return isTold(text) ? { kind: 'correct', text } : undefined;
}

function withoutCorrection(text: string): string {
  return text.replace(correcting, '');
}

/** A sentence, and no question without its mark. */
function isTold(text: string): boolean {
  return !interrogative.test(text) && text.includes(' ');
}

function textIn(
  wish: string,
  patterns: readonly string[],
): { readonly text: string | undefined } | undefined {
  for (const pattern of patterns) {
    // Without `u`, which makes compiling them take three times as long, at every start.
    const found = new RegExp(`^${pattern}[.!?]*$`, 'i').exec(wish);
    if (found) return { text: found.groups?.['text']?.replace(/[.!?]+$/, '').trim() };
  }
  return undefined;
}
