import type { Json } from '../../contract/plan/index.ts';

/** An entry of a list that a tool gave: a finding, a match, a file, a test. */
export interface ResultItem {
  readonly severity?: string;
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
  readonly rule?: string;
  readonly message?: string;
  /** All its short texts in lower case: what words of the user may mean. */
  readonly words: readonly string[];
}

/** What tools call the members of an entry; the first that is there counts. */
const members = {
  severity: ['severity', 'level', 'priority', 'status'],
  path: ['path', 'file', 'filename', 'file_path', 'location', 'uri', 'url'],
  line: ['line', 'start_line', 'startLine', 'line_number', 'lineNumber', 'lineno'],
  column: ['column', 'col', 'start_column', 'startColumn'],
  rule: ['rule', 'rule_id', 'ruleId', 'check', 'code', 'kind', 'type', 'category'],
  message: ['message', 'text', 'title', 'name', 'summary', 'description', 'id'],
} as const;

const maxItems = 10_000;
const maxWordChars = 200;
const maxDepth = 4;

/** A list in a result, and what the result says about all of it. */
export interface ResultList {
  /** What the tool calls the entries: `issues`; empty where the result is the list. */
  readonly name: string;
  readonly items: readonly ResultItem[];
  /** How many there are, with those that the tool did not list. */
  readonly total: number;
  /** The same by severity, where the result says it. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** The list of like objects that a result is about; without entries where there is none. */
export function findList(output: Json): ResultList {
  let best: ResultList = { name: '', items: [], total: 0 };
  let bestWeight = 0;
  const look = (value: unknown, around: Members, { name, depth }: Spot): void => {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return;
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).flatMap((one) => readItem(one) ?? []);
      const weight = items.length === value.length ? weightOf(items, depth) : 0;
      if (weight > bestWeight) {
        bestWeight = weight;
        best = { name, items, ...totalOf(around, name, items.length) };
      }
      return;
    }
    const inside: Members = Object(value);
    for (const [key, inner] of Object.entries(inside)) {
      look(inner, inside, { name: key, depth: depth + 1 });
    }
  };
  look(output, {}, { name: '', depth: 0 });
  return best;
}

type Members = Readonly<Record<string, unknown>>;

interface Spot {
  readonly name: string;
  readonly depth: number;
}

/** A list with places counts before one of names, then what lies further out; of equals the first: tools name the main thing first. */
function weightOf(items: readonly ResultItem[], depth: number): number {
  const isPlaced = items.some(({ path, severity }) => path ?? severity);
  return items.length === 0 ? 0 : (isPlaced ? maxDepth + 1 : 0) + maxDepth + 1 - depth;
}

/** What stands beside a list about its length: `issues_total`, `issues_omitted`, `total` of a list that is `truncated`, `counts`. */
function totalOf(
  around: Members,
  name: string,
  listed: number,
): Pick<ResultList, 'total' | 'counts'> {
  const number = (key: string): number => (typeof around[key] === 'number' ? around[key] : 0);
  const { counts } = around;
  const isCounts =
    typeof counts === 'object' &&
    counts !== null &&
    Object.values(counts).every((one) => typeof one === 'number');
  return {
    total: Math.max(
      listed + number(`${name}_omitted`),
      number(`${name}_total`),
      around['truncated'] === true ? number('total') : 0,
    ),
    // Each of its values has just been seen to be a number.
    ...(isCounts && { counts: counts as Readonly<Record<string, number>> }),
  };
}

function readItem(value: unknown): ResultItem | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entry: Readonly<Record<string, unknown>> = Object(value);
  const text = (names: readonly string[]): string | undefined => {
    const found = names.map((name) => entry[name]).find((one) => typeof one === 'string');
    return typeof found === 'string' ? found : undefined;
  };
  const number = (names: readonly string[]): number | undefined => {
    const found = names.map((name) => entry[name]).find((one) => typeof one === 'number');
    return typeof found === 'number' ? found : undefined;
  };
  const [severity, path, message] = [
    text(members.severity),
    text(members.path),
    text(members.message),
  ];
  // The name of a test that failed stands beside what it says.
  const name = text(['name']);
  const rule = text(members.rule) ?? (name === message ? undefined : name);
  if ((path ?? message) === undefined) return undefined;
  const [line, column] = [number(members.line), number(members.column)];
  const words = Object.values(entry).filter(
    (one): one is string => typeof one === 'string' && one.length <= maxWordChars,
  );
  // Words of a sentence say nothing about what an entry is, where it is named otherwise.
  const prose = (rule ?? severity) === undefined ? undefined : message;
  return {
    ...(severity !== undefined && { severity }),
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(rule !== undefined && { rule }),
    ...(message !== undefined && { message }),
    words: words.filter((word) => word !== prose).map((word) => word.toLowerCase()),
  };
}

/** `src/cart.py:3:12 critical secrets/aws-key: AWS access key id` */
export function itemLine(item: ResultItem): string {
  const { severity, rule, message } = item;
  const head = [placeOf(item), severity, rule].filter((part) => part !== undefined).join(' ');
  const said = message?.replaceAll(/\s+/g, ' ').trim();
  return said === undefined || said === head ? head : `${head}${head === '' ? '' : ': '}${said}`;
}

/** `src/cart.py:3:12`, `line 3`; undefined for an entry that is nowhere. */
export function placeOf({ path, line, column }: ResultItem): string | undefined {
  if (path === undefined) return line === undefined ? undefined : `line ${line}`;
  const place = line === undefined ? [] : [line, ...(column === undefined ? [] : [column])];
  return [path, ...place].join(':');
}
