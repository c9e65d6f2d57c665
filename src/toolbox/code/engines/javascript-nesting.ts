/**
 * The native parser goes down the stack with every level of nesting and takes the whole process
 * with it when the stack ends. In a worker's 4 MB it holds about 2,000 nested functions or 5,000
 * operators in a row, so this leaves room.
 */
export const maxJavascriptNesting = 6_000;

/** A bracket costs the parser up to four times the stack of an operator. */
const bracketWeight = 4;

/** What is open at one bracket: how many operators its current statement has so far. */
interface Level {
  chain: number;
  /** The chain before the last `}`, which `else` continues. */
  beforeBlock: number;
}

/**
 * How deep a text may nest, in operators: brackets count as several. An estimate from above that
 * takes one pass; strings, comments and regular expressions are skipped.
 */
export function estimateJavascriptNesting(text: string): number {
  const levels: Level[] = [{ chain: 0, beforeBlock: 0 }];
  let around = 0;
  let deepest = 0;
  let previous = '';
  const scan = new RegExp(token);
  for (let match = scan.exec(text); match; match = scan.exec(text)) {
    const [found] = match;
    const level = levels.at(-1) ?? { chain: 0, beforeBlock: 0 };
    if (found === '/' && !endsOperand.test(previous)) {
      scan.lastIndex = endOfRegex(text, match.index + 1);
    } else if ('([{'.includes(found)) {
      around += level.chain + bracketWeight;
      levels.push({ chain: 0, beforeBlock: 0 });
    } else if (')]}'.includes(found)) {
      if (levels.length > 1) levels.pop();
      const outer = levels.at(-1) ?? level;
      around = Math.max(0, around - outer.chain - bracketWeight);
      if (found === '}') {
        outer.beforeBlock = outer.chain;
        outer.chain = 0;
      }
    } else if (found === ';' || found === ',') level.chain = 0;
    else if (found === 'else') level.chain = level.beforeBlock + 1;
    else if (operator.test(found)) level.chain += 1;
    deepest = Math.max(deepest, around + (levels.at(-1)?.chain ?? 0));
    previous = found;
  }
  return deepest;
}

/** Comments, strings and the text of templates in one piece; else a word or a character. */
const token =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|[\w$]+|[^\s\w$]/g;

const operator = /^(?:[-+*/%&|^<>=!?:.~`]|new|typeof|void|delete|await|yield|if)$/;

/** After a value a slash divides; elsewhere it begins a regular expression. */
const endsOperand = /[\w$)\]}"'`]$/;

/** Nobody writes longer ones; without a limit a text of slashes would take quadratic time. */
const maxRegexLength = 5_000;

function endOfRegex(text: string, from: number): number {
  let isInClass = false;
  const last = Math.min(text.length, from + maxRegexLength);
  for (let at = from; at < last; at += 1) {
    const character = text[at];
    if (character === '\n') return from;
    if (character === '\\') at += 1;
    else if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    else if (character === '/' && !isInClass) return at + 1;
  }
  return from;
}
