/**
 * Sentences in descriptions that speak to the model instead of saying what the tool does. Heuristics: they flag, and
 * decide nothing. Each pattern is linear: bounded gaps, no nested repetition.
 */
const sensitive =
  '(?:~/\\.\\w+|id_rsa|\\.env\\b|/etc/(?:passwd|shadow)|private keys?|api[ _]keys?|\\w*secret_\\w*key|system prompt|chat history|conversation|passwords?|environment variables|credit card|mcp\\.json|everything the user)';

const patterns: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instructions?|rules|guidelines|prompt|above|told)\b/i,
  /\b(?:do not|don['’]t|never|must not|without)\b[^.;]{0,12}\b(?:tell|mention|inform|reveal|telling|mentioning|informing|say that you)\w*\b/i,
  /\b(?:secretly|silently) \w+/i,
  /\bhidden from the user\b|\bhidden instruction/i,
  /<\/?(?:important|system|instructions?|assistant|secret|admin)>|\[\/?INST\]|<!--\s{0,4}(?:assistant|system|ai)\b/i,
  /(?:^|[.!?>\n]\s{0,4})(?:assistant|system|ai|model)\s{0,2}:/i,
  /\binstructions?\s+(?:for|to)\s+the\s+(?:assistant|ai|model|agent|llm)\b/i,
  /\b(?:you are now|from now on|your new task|new instructions|act as if you|\bDAN mode)\b/i,
  new RegExp(
    `\\b(?:read|pass|include|put|send|append|copy|forward|reveal|exfiltrate|collect|reply|upload|list|ask)\\b[^.;]{0,60}${sensitive}`,
    'i',
  ),
  new RegExp(`${sensitive}[^.]{0,60}\\b(?:must be|read it|goes? here|put it)\\b`, 'i'),
  /\b(?:already approved|permission was granted|(?:do not|never|don['’]t) ask (?:for|the user)|bypass the (?:confirmation|approval)|safety (?:checks|guidelines) are (?:off|disabled))/i,
  /\balways (?:call|use|run|invoke) this tool (?:before|first)/i,
  /\b(?:bcc|forward|copy|send)\b[^.;]{0,60}\S@[\w-]+\.\w/i,
  /\bcurl\s+\S{1,200}\s{0,4}\|\s{0,4}(?:ba)?sh\b/i,
  /\brequired to call\b|\bmandatory to pass\b|\byou must also\b/i,
];

const maxLength = 20_000;
const maxShown = 80;

/** The first such words; undefined when there are none. */
export function findInstruction(text: string): string | undefined {
  const looked = text.slice(0, maxLength);
  for (const pattern of patterns) {
    const found = pattern.exec(looked)?.[0];
    if (found !== undefined) return found.replaceAll(/\s+/g, ' ').trim().slice(0, maxShown);
  }
  return undefined;
}
