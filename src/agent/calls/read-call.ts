import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { planSchema, type Json } from '../../contract/plan/index.ts';
import { plainForm, recordOf, stemOf } from '../../kernel/index.ts';
import type { PlanningAnswer, PlanningRequest } from '../planner/index.ts';
import { fillArguments, type Filled } from './fill-arguments.ts';

/** Other tools of the server that are shown beside the likeliest. */
const maxShown = 3;
/** A tool is meant without doubt where it scores this much more than the next. */
const clearLead = 1;
/** A tool's name of so many words is meant by its words, too: "list allowed directories". */
const minSpokenWords = 3;

type Asked = Pick<PlanningRequest, 'message' | 'tools' | 'isOwn'>;

interface Mention {
  /** What may be meant: one tool, or all of a server. */
  readonly tools: readonly CatalogueEntry[];
  /** The message without the mention. */
  readonly rest: string;
  /** The words name what is to do it, and nothing else. */
  readonly isPlain: boolean;
}

/**
 * A request that names the tool, or the server of others that is to do it: "server.tool a=3", "with the files server".
 * Then no tool of another server is meant, and the words that remain are its arguments. Undefined where none is named.
 */
export function readCall({ message, tools, isOwn }: Asked): PlanningAnswer | undefined {
  const others = tools.filter(({ server }) => !isOwn(server));
  const mention =
    findFullName(message, tools) ??
    findServer(message, others) ??
    findTool(message, { tools, others });
  if (!mention || isQuestion.test(message)) return undefined;
  if (isAboutServer.test(mention.rest)) return { kind: 'about', topic: 'servers' };
  // Several wishes at once are for the planner.
  if (/[;\n]|\b(?:then|afterwards)\b/iu.test(mention.rest)) return undefined;
  const readings = mention.tools
    .map((entry) => readTool(entry, mention))
    .toSorted((a, b) => Number(b.isSpoken) - Number(a.isSpoken) || b.score - a.score);
  const [best, next] = readings;
  if (!best) return undefined;
  if (!best.isSpoken && next) return mention.isPlain ? askWhich(mention.tools) : undefined;
  const isSure = !next || best.score - next.score >= clearLead;
  const shown = readings
    .slice(0, isSure ? 1 : maxShown)
    .filter(({ isSpoken, score }) => (isSpoken && score > 0) || !next || isSure);
  return {
    kind: 'plan',
    candidates: shown.map((one) => candidateOf(one, message, shown.length)),
    ...(best.filled.rest !== '' && { notUnderstood: [best.filled.rest] }),
  };
}

const isQuestion = /^\s*(?:explain|describe|document|how (?:do|does|can|to)|what does)\b/iu;

const isAboutServer =
  /^[\s,]*(?:(?:is|are|why|how|what|which|check|if|whether|does|do|did|was|the|of|it|state|status|health|list|show|tools?|have|has|offer|provide|i|you|me)\b[\s,]*)*(?:up|down|on|off|running|alive|online|offline|connected|working|ok|okay|healthy|reachable|there|available|state|status|health|tools?|start(?:ed)?|respond(?:s|ing)?|have|has|offer|provide)(?: (?:have|has|offer|provide))?[\s?!.]*$/iu;

/** "everything.get-sum a=3 b=4", also of our tools where arguments are named. */
function findFullName(message: string, tools: readonly CatalogueEntry[]): Mention | undefined {
  const found = /(?<![\w./-])([\w-]+\.[\w-]+)(?![\w./-])/gu;
  for (const match of message.matchAll(found)) {
    const entry = tools.find(({ name }) => name === match[1]);
    if (entry) return mentionOf([entry], message, match);
  }
  return undefined;
}

const asking = '(?:with|using|use|via|through|on|from|by|ask|tell|let|have|in|of|is|call|why is)';

/** "with the files server", "use sqlite to …": a name that is an ordinary word needs "server" behind it. */
function findServer(message: string, others: readonly CatalogueEntry[]): Mention | undefined {
  for (const [server, tools] of Map.groupBy(others, (entry) => entry.server)) {
    const name = RegExp.escape(server).replaceAll(/\\?[-_]|\\x2d/giu, '[-_ ]');
    const long = `(?:\\b${asking} )?(?:the |my )?(?<![\\w.])${name}(?:'s)? (?:mcp )?(?:server|mcp)\\b`;
    const short = `(?:\\b(?:with|using|use|via|through|ask)|(?<=^.*\\bon)) (?:the )?${name}(?![\\w.-])`;
    const isCommon = ordinary.has(server.toLowerCase());
    const match =
      new RegExp(long, 'iu').exec(message) ??
      (isCommon ? null : new RegExp(short, 'iu').exec(message));
    if (match) return mentionOf(tools, message, match);
  }
  return undefined;
}

/** Names of servers that people also say without meaning a server. */
const ordinary: ReadonlySet<string> = new Set(
  'everything files file filesystem memory time git github code search web test tests python node docker shell thinking fetch db database notes tools'.split(
    ' ',
  ),
);

/** "add 3 and 4 with get-sum", "call echo with message hello", "list allowed directories". */
function findTool(
  message: string,
  {
    tools,
    others,
  }: {
    readonly tools: readonly CatalogueEntry[];
    readonly others: readonly CatalogueEntry[];
  },
): Mention | undefined {
  const ours = new Set(tools.filter((one) => !others.includes(one)).map(({ tool }) => tool.name));
  const foreign = others.filter(({ tool }) => !ours.has(tool.name));
  const byLength = foreign.toSorted((a, b) => b.tool.name.length - a.tool.name.length);
  for (const entry of byLength) {
    const words = wordsOf(entry.tool.name);
    const asWritten = `(?<![\\w./-])${RegExp.escape(entry.tool.name)}(?![\\w/-]|\\.\\w)`;
    const isPlain = words.length === 1;
    const pattern = isPlain
      ? `(?:\\b(?:call|run|invoke) ${asWritten}|\\b(?:with|using|use) (?:the )?${asWritten} tool\\b)`
      : words.length < minSpokenWords
        ? asWritten
        : `(?:${asWritten}|\\b${words.map((word) => RegExp.escape(word)).join(' ')}\\b)`;
    const match = new RegExp(pattern, 'iu').exec(message);
    if (!match) continue;
    const same = byLength.filter(({ tool }) => tool.name === entry.tool.name);
    return mentionOf(same, message, match);
  }
  return undefined;
}

function mentionOf(
  tools: readonly CatalogueEntry[],
  message: string,
  { 0: part, index }: RegExpExecArray,
): Mention {
  const rest = `${message.slice(0, index)} ${message.slice(index + part.length)}`;
  return {
    tools,
    rest,
    isPlain: /^(?:with|using|use|via|through|ask|tell)\b.*\bserver$/iu.test(part),
  };
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[\s_.-]+/u);

interface Read {
  readonly entry: CatalogueEntry;
  readonly filled: Filled;
  readonly score: number;
  /** A word of its name was said. */
  readonly isSpoken: boolean;
}

/** How well the words that remain fit a tool: its name, what it says about itself, and what it takes. */
function readTool(entry: CatalogueEntry, { rest, tools }: Mention): Read {
  const { name, description = '', inputSchema } = entry.tool;
  const named = new Set(wordsOf(name).map(meaningOf));
  const [about = ''] = description.split(/[.\n]/u);
  const said = new Set(textWords(about).map(meaningOf));
  const asked = textWords(rest);
  const isNamed = (word: string): boolean => named.has(meaningOf(word));
  const exact = asked.filter((word) => wordsOf(name).includes(word)).length;
  const spoken = new Set(asked.filter(isNamed).map(meaningOf));
  const fitting = kindsOfFile(rest).filter((word) => named.has(word)).length;
  // One tool of a server was named: the words of its name are not said twice.
  const text = tools.length === 1 ? rest : withoutWords(rest, isNamed);
  const read = fillArguments(withoutLeads(text), inputSchema);
  const isDescribed = (word: string): boolean => word.length > 2 && said.has(meaningOf(word));
  const described = asked.filter((word) => !isNamed(word) && isDescribed(word)).length;
  const filled = {
    ...read,
    rest: withoutWords(read.rest, (word) => isNamed(word) || isDescribed(word)).trim(),
  };
  const isDeprecated = /deprecated/iu.test(description);
  const score =
    (3 * (spoken.size + fitting)) / Math.max(1, named.size) +
    Math.min(2, spoken.size) +
    Math.min(1, described / 2) +
    Math.min(1, exact / 2) -
    (filled.missing.length > 0 ? 1 : 0) -
    // What nothing takes belongs to another tool.
    (filled.rest === '' ? 0 : 1) +
    (typedArgs(filled, inputSchema) > 0 ? 1 : 0) +
    ('sql' in filled.args ? 3 : 0) -
    (isDeprecated ? 1.5 : 0);
  return {
    entry,
    filled,
    score,
    isSpoken: spoken.size > 0 || 'sql' in filled.args,
  };
}

/** A path speaks of a file, and its ending of what is in it. */
function kindsOfFile(text: string): readonly string[] {
  const ending = /\.([a-z]\w{0,5})(?!\w)/iu.exec(text)?.[1];
  if (ending === undefined) return [];
  const isMedia = /^(?:png|jpe?g|gif|webp|bmp|svg|mp[34]|wav|ogg|pdf)$/iu.test(ending);
  return ['file', isMedia ? 'media' : 'text'];
}

/** Arguments of a type that not every text has: numbers, choices, JSON. */
function typedArgs(
  { args }: Filled,
  { properties }: CatalogueEntry['tool']['inputSchema'],
): number {
  const typeOf = (name: string): unknown => recordOf(recordOf(properties)[name])['type'];
  return Object.keys(args).filter((name) => !/^(?:string|array)$/u.test(String(typeOf(name))))
    .length;
}

const textWords = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];

const same: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: 'sum',
    plus: 'sum',
    total: 'sum',
    show: 'read',
    print: 'read',
    open: 'read',
    cat: 'read',
    find: 'search',
    lookup: 'search',
    folder: 'directory',
    save: 'write',
    say: 'echo',
    repeat: 'echo',
    rename: 'move',
    remove: 'delete',
    entities: 'entity',
    env: 'environment',
  }),
);

function meaningOf(word: string): string {
  const plain = plainForm(word);
  return stemOf(same.get(plain) ?? plain);
}

function withoutWords(text: string, isSaid: (word: string) => boolean): string {
  return text.replaceAll(/(?<![\w./"'-])[\p{L}]+(?![\w./"'-])/gu, (word) =>
    isSaid(word) ? '' : word,
  );
}

const withoutLeads = (text: string): string =>
  text
    .replaceAll(/\s+/gu, ' ')
    .replace(
      /^[\s,]*(?:(?:please|can|could|you|would|i|want|need|to|let|ask|tell|it|and|just|now|use|call|run|invoke|execute|do|give|get|show|list|find|search|look|up|what|is|are|the|me|for|my|all|tool)\b[\s,]*)+(?=\S)/iu,
      '',
    )
    .trim();

function candidateOf({ entry, filled }: Read, goal: string, count: number) {
  const { name, title, inputSchema } = entry.tool;
  const inputs = Object.fromEntries(
    filled.missing.map((field) => [field, inputOf(recordOf(inputSchema['properties'])[field])]),
  );
  const open = filled.missing.map((field) => [field, `\${input.${field}}`] as const);
  const id = /^[a-z]/iu.test(name) ? name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 50) : 'step';
  const plan = planSchema.parse({
    version: 1,
    goal: goal.slice(0, 2_000),
    ...(filled.missing.length > 0 && { input: inputs }),
    steps: [
      {
        id: ['input', 'item', 'index', 'run', 'result'].includes(id) ? `${id}_step` : id,
        tool: entry.name,
        args: { ...filled.args, ...Object.fromEntries(open) },
      },
    ],
  });
  return {
    plan,
    confidence: count === 1 ? 0.95 : 0.5,
    why: `${title ?? name} (${entry.server}).`,
  };
}

function inputOf(schema: unknown): Record<string, Json> {
  const { type, description } = recordOf(schema);
  const about = typeof description === 'string' ? { description } : {};
  return { type: typeof type === 'string' ? type : 'string', ...about };
}

function askWhich(tools: readonly CatalogueEntry[]): PlanningAnswer {
  const names = tools.map(({ tool }) => tool.name);
  const listed = names.slice(0, 12).join(', ') + (names.length > 12 ? ', …' : '');
  return {
    kind: 'question',
    questions: [`Which tool of "${tools[0]?.server ?? ''}"? It has ${listed}.`],
    candidates: [],
  };
}
