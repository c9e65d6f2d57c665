/**
 * The native parser goes down the stack with every level of nesting. In 4 MB it holds about 2,700
 * brackets or 8,000 operators inside each other: a text that counts less comes nowhere near.
 */
export const maxJavascriptNesting = 6_000;

/** A bracket, also a pointed one, costs the parser up to four times the stack of an operator. */
export const bracketWeight = 4;

/**
 * How deep a text could nest at most, in operators: everything that can open a level counts, as if
 * nothing ever closed. Strings, comments and the like are not left out, because where they begin is
 * only known to the parser: whatever it takes for code is counted.
 */
export function boundJavascriptNesting(text: string): number {
  let bound = 0;
  for (const [found] of text.matchAll(opener)) {
    bound += '([{<'.includes(found) ? bracketWeight : 1;
  }
  return bound;
}

/** All but names, numbers, quotes, space and what only ends or parts something. */
const opener =
  /[^\w\s$"')\]},;\u0080-\uffff]|(?<![A-Za-z_])(?:abstract|accessor|as|asserts|async|await|break|case|catch|class|const|continue|declare|default|delete|do|else|enum|export|extends|finally|for|from|function|get|global|if|implements|import|in|infer|instanceof|interface|is|keyof|let|module|namespace|new|of|out|override|private|protected|public|readonly|return|satisfies|set|static|super|switch|throw|try|type|typeof|unique|using|var|void|while|with|yield)\b/g;
