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

/** The longest list of like objects in a result, as entries; empty where there is none. */
export function findItems(output: Json): readonly ResultItem[] {
  let best: readonly ResultItem[] = [];
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return;
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).flatMap((one) => readItem(one) ?? []);
      if (items.length === value.length && weightOf(items) > weightOf(best)) best = items;
      return;
    }
    for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  look(output, 0);
  return best;
}

/** A list with places counts before one of names. */
function weightOf(items: readonly ResultItem[]): number {
  const placed = items.filter(({ path, severity }) => path ?? severity).length;
  return items.length === 0 ? 0 : placed * maxItems + items.length;
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
  const [severity, path, rule, message] = [
    text(members.severity),
    text(members.path),
    text(members.rule),
    text(members.message),
  ];
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
