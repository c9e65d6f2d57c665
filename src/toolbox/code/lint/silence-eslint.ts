import type { Linter } from 'eslint';

/** `eslint-disable`, `eslint-enable`, `eslint-disable-line` or `eslint-disable-next-line`, as ESLint found it. */
interface Directive {
  readonly type: 'disable' | 'enable' | 'disable-line' | 'disable-next-line';
  /** The rules it names, separated by commas; empty for all. */
  readonly value: string;
  readonly node: { readonly loc: { readonly start: Position; readonly end: Position } };
}

interface Position {
  readonly line: number;
  /** From 0, unlike that of a message. */
  readonly column: number;
}

/**
 * The messages that no comment silences. ESLint itself is told to ignore comments, because among them may be some
 * that configure rules. Takes time in proportion to the text, however many comments are in it.
 */
export function withoutSilenced(
  messages: readonly Linter.LintMessage[],
  linter: Linter,
): readonly Linter.LintMessage[] {
  const lines = new Map<number, RuleSwitch>();
  const blocks: Directive[] = [];
  for (const directive of directivesOf(linter)) {
    const { type, node, value } = directive;
    if (type === 'disable' || type === 'enable') {
      blocks.push(directive);
      continue;
    }
    const line = type === 'disable-line' ? node.loc.start.line : node.loc.end.line + 1;
    const rules = lines.get(line) ?? new RuleSwitch();
    rules.turn('disable', value);
    lines.set(line, rules);
  }
  const around = new RuleSwitch();
  let next = 0;
  return messages.toSorted(byPosition).filter(({ ruleId, line, column }) => {
    for (let block = blocks[next]; block && isBefore(block, line, column); block = blocks[next]) {
      around.turn(block.type === 'enable' ? 'enable' : 'disable', block.value);
      next += 1;
    }
    return ruleId === null || !(around.isOff(ruleId) || lines.get(line)?.isOff(ruleId) === true);
  });
}

function isBefore({ node }: Directive, line: number, column: number): boolean {
  const { start } = node.loc;
  return start.line < line || (start.line === line && start.column < column - 1);
}

/** Which rules comments have switched off so far. */
class RuleSwitch {
  #isAllOff = false;
  /** Switched otherwise than all the others. */
  readonly #others = new Set<string>();

  turn(way: 'disable' | 'enable', value: string): void {
    const isOff = way === 'disable';
    const rules = value.split(',').flatMap((name) => name.trim() || []);
    if (rules.length === 0) {
      this.#isAllOff = isOff;
      this.#others.clear();
    }
    for (const rule of rules) {
      if (isOff === this.#isAllOff) this.#others.delete(rule);
      else this.#others.add(rule);
    }
  }

  isOff(rule: string): boolean {
    return this.#others.has(rule) !== this.#isAllOff;
  }
}

/** ESLint's declarations lack the method that its source code has. */
function directivesOf(linter: Linter): readonly Directive[] {
  const source = linter.getSourceCode() as
    | { getDisableDirectives?(): { readonly directives: readonly Directive[] } }
    | undefined;
  return source?.getDisableDirectives?.().directives ?? [];
}

function byPosition(a: Linter.LintMessage, b: Linter.LintMessage): number {
  return a.line - b.line || a.column - b.column;
}
