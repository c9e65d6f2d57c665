/** What looks like a regular expression behind a token after which no division can come. */
const candidates =
  /[=(,:;!&|?{}[\n]\s{0,100}\/((?:[^/\\[\n*]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,300}\])(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,300}\]){0,1000})\/([a-z]{0,10})/g;

interface PatternProblem {
  readonly offset: number;
  readonly message: string;
}

/**
 * The first regular expression of a valid JavaScript text that is none. The tree is asked for only
 * when something in the text looks like a broken one: nearly all texts are done without.
 */
export function findPatternProblem(
  text: string,
  programOf: () => object,
): PatternProblem | undefined {
  const isSuspect = [...`\n${text}`.matchAll(candidates)].some(
    ([, pattern = '', flags = '']) => reasonAgainst(pattern, flags) !== undefined,
  );
  if (!isSuspect) return undefined;
  let first: PatternProblem | undefined;
  const open: object[] = [programOf()];
  for (let node = open.pop(); node; node = open.pop()) {
    const problem = problemOf(node);
    if (problem && (!first || problem.offset < first.offset)) first = problem;
    for (const child of Object.values(node)) {
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return first;
}

function problemOf(node: object): PatternProblem | undefined {
  // Any object may be asked for fields it does not have; what comes is looked at.
  const { regex, start } = node as { regex?: unknown; start?: unknown };
  if (typeof regex !== 'object' || regex === null || typeof start !== 'number') return undefined;
  // As above.
  const { pattern, flags } = regex as { pattern?: unknown; flags?: unknown };
  const message = reasonAgainst(String(pattern), String(flags));
  return message === undefined ? undefined : { offset: start, message };
}

function reasonAgainst(pattern: string, flags: string): string | undefined {
  try {
    void new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
