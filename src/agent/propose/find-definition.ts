/** Looks for the file that defines a name of the message: "tests for fib" without a file. */

/** Of larger projects only these files are looked through. */
const maxFiles = 2_000;
const maxNames = 12;

const source =
  /\.(?:py|js|mjs|cjs|jsx|ts|tsx|mts|java|go|rs|cs|cpp|cc|c|h|hpp|php|rb|kt|swift|scala)$/iu;
const tests = /(?:^|[/._-])(?:tests?|spec|__tests__|fixtures?)(?:[/._-]|$)/iu;

export interface Project {
  list(limit: number): Promise<readonly string[]>;
  read(path: string): Promise<string | undefined>;
}

/**
 * The one file that defines what the message names. A word that is also ordinary English counts only with a
 * sign that it is a name. Undefined where there is none, or more than one.
 */
export async function findDefinition(
  message: string,
  project: Project,
  signal: AbortSignal,
): Promise<string | undefined> {
  const names = namesIn(message);
  if (names.length === 0) return undefined;
  const defines = definitionOf(names);
  const files = (await project.list(maxFiles)).filter((path) => source.test(path));
  const found = new Set<string>();
  for (const path of files.filter((one) => !tests.test(one))) {
    signal.throwIfAborted();
    if (defines.test((await project.read(path)) ?? '')) found.add(path);
    if (found.size > 1) return undefined;
  }
  const [only] = found;
  return only;
}

/** `fib`, "the function total", `parseDate`, `parse_date`, `Cart.total`: by their form, or by what stands beside them. */
function namesIn(message: string): readonly string[] {
  const shaped = message.match(/\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+)\b|`\w+`/gu) ?? [];
  const called = [
    ...message.matchAll(
      /(?<=\b(?:function|method|class|struct|interface|for|of|to|does|tests?|document|explain)\s+(?:the\s+)?[`"']?)[A-Za-z_]\w{2,}/gu,
    ),
    ...message.matchAll(/[A-Za-z_]\w{2,}(?=\(\)|[`"']?\s+(?:function|method|class)\b)/gu),
  ].map(([name]) => name);
  const all = [...shaped.map((name) => name.replaceAll('`', '')), ...called];
  return [...new Set(all)].slice(0, maxNames);
}

function definitionOf(names: readonly string[]): RegExp {
  const any = `(?:${names.join('|')})`;
  const keyword =
    '(?:def|class|function\\*?|func(?:\\s*\\([^)]*\\))?|fn|interface|struct|enum|trait|type|record|object)';
  const assigned = `(?:const|let|var)\\s+${any}\\s*(?::[^=\\n]{0,80})?=\\s*(?:async\\b|function\\b|\\(|\\w+\\s*=>)`;
  return new RegExp(`\\b${keyword}\\s+${any}\\b|\\b${assigned}`, 'u');
}
