import { TextPositions } from '../../code/text-positions.ts';
import type { Passage } from '../passage.ts';
import { splitLong } from './split-long.ts';
import { statementsIn, type Statement } from './statements.ts';

/** Declarations up to this size stay whole; larger ones are split into their members. */
const wholeChars = 1_200;
/** Members without a comment of their own are kept together up to this size. */
const groupChars = 800;
/** A declaration is cut only above this size: half of one says little. */
const maxDeclarationChars = 8_000;
/** Namespaces inside namespaces are followed this far. */
const maxNesting = 4;

const container =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(class|interface|namespace|module|global|enum)\b/;
const declaredName =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+|async\s+)?(?:function\*?|class|interface|namespace|module|type|enum|const\s+enum|const|let|var)\s+["']?([\w$./@-]+)/;
const memberName =
  /^(?:(?:static|readonly|abstract|public|protected|override|declare|get|set|async)\s+)*(?:new\s*\()?["']?([\w$]+)/;

/** Splits a TypeScript declaration file: a passage per declaration, and per member of large ones. */
export function splitDeclarations(text: string): Passage[] {
  const passages: Passage[] = [];
  const positions = new TextPositions(text);
  const waiting = [{ from: 0, to: text.length, scope: '', nesting: 0 }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { from, to, scope, nesting } = next;
    for (const statement of joinOverloads(text, statementsIn(text, from, to))) {
      const signature = text.slice(statement.code, statement.code + 400);
      const kind = container.exec(signature)?.[1];
      const name = nameOf(signature, declaredName, scope);
      if (name === undefined || isPrivate(text, statement)) continue;
      const { body } = statement;
      const isSpace = kind === 'namespace' || kind === 'module' || kind === 'global';
      if (isSpace && body && nesting < maxNesting) {
        const inner = kind === 'namespace' ? name : scope;
        waiting.push({ from: body.start, to: body.end, scope: inner, nesting: nesting + 1 });
      } else if (kind !== undefined && body && statement.end - statement.start > wholeChars) {
        passages.push(...splitMembers(text, { ...statement, body }, { name, positions }));
      } else {
        passages.push(...passageOf(text, statement, { name, positions }));
      }
    }
  }
  return passages.sort((a, b) => a.line - b.line);
}

interface Named {
  readonly name: string;
  readonly positions: TextPositions;
}

function nameOf(signature: string, pattern: RegExp, scope: string): string | undefined {
  const name = pattern.exec(signature)?.[1];
  return name === undefined || scope === '' ? name : `${scope}.${name}`;
}

/** Overloads of one function as one statement. */
function joinOverloads(text: string, statements: readonly Statement[]): Statement[] {
  const joined: Statement[] = [];
  let previousName: string | undefined;
  for (const statement of statements) {
    const name = overloadName.exec(text.slice(statement.code, statement.code + 400))?.[1];
    const previous = joined.at(-1);
    const isShort = statement.end - (previous?.start ?? 0) <= maxDeclarationChars;
    if (previous && isShort && name !== undefined && name === previousName) {
      joined[joined.length - 1] = {
        start: previous.start,
        code: previous.code,
        end: statement.end,
      };
    } else joined.push(statement);
    previousName = name;
  }
  return joined;
}

const overloadName = /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?function\s+([\w$]+)/;

function isPrivate(text: string, { start, code }: Statement): boolean {
  return (
    text.slice(start, code).includes('@internal') ||
    /^(?:private\b|#|import\b|export\s*[{*=])/.test(text.slice(code, code + 40))
  );
}

function passageOf(text: string, { start, end }: Statement, { name, positions }: Named): Passage[] {
  return splitLong({
    heading: name,
    line: positions.line(start),
    lines: text.slice(start, end).split('\n'),
    maxChars: maxDeclarationChars,
  });
}

/** The comment and head of a class or interface, then its members: overloads together. */
function splitMembers(
  text: string,
  whole: Statement & { readonly body: { readonly start: number; readonly end: number } },
  { name, positions }: Named,
): Passage[] {
  const head = text.slice(whole.start, whole.body.start).trimEnd();
  const passages: Passage[] = splitLong({
    heading: name,
    line: positions.line(whole.start),
    lines: `${head} … }`.split('\n'),
    maxChars: maxDeclarationChars,
  });
  let group: Member[] = [];
  const emit = (): void => {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return;
    const names = [...new Set(group.map((member) => member.name))];
    const lines = text.slice(first.start, last.end).split('\n');
    const heading = names.map((one) => `${name}.${one}`).join(', ');
    passages.push(
      ...splitLong({
        heading,
        line: positions.line(first.start),
        lines,
        maxChars: maxDeclarationChars,
      }),
    );
    group = [];
  };
  for (const member of membersOf(text, whole.body)) {
    const previous = group.at(-1);
    const size = member.end - (group[0]?.start ?? member.start);
    const isSame = previous?.name === member.name && size <= maxDeclarationChars;
    const isPlain = !member.isDocumented && !previous?.isDocumented && size <= groupChars;
    if (previous && !isSame && !isPlain) emit();
    group.push(member);
  }
  emit();
  return passages;
}

interface Member extends Statement {
  readonly name: string;
  readonly isDocumented: boolean;
}

function membersOf(text: string, body: { start: number; end: number }): Member[] {
  return statementsIn(text, body.start, body.end).flatMap((statement) => {
    const name = memberName.exec(text.slice(statement.code, statement.code + 200))?.[1];
    if (name === undefined || isPrivate(text, statement)) return [];
    const isDocumented = text.slice(statement.start, statement.code).includes('/**');
    return [{ ...statement, name, isDocumented }];
  });
}
