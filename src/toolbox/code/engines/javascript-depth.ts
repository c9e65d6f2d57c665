import { createRequire } from 'node:module';
import type { ParserOptions } from 'oxc-parser';
import { TooComplexError } from '../errors.ts';
import type { GrammarName, SyntaxTrees } from '../syntax-tree.ts';
import { runChild, type ChildLimits } from './run-child.ts';

/** Texts in which parsers may disagree about what is code and what is comment, string or pattern. */
const ambiguous = /<!--|-->|\r(?!\n)|[\u2028\u2029]|\b(?:yield|await)\s*\//;

/** Leaves whose text is data to tree-sitter. What another parser took for code in them counts as such. */
const opaqueTypes = new Set(
  'comment html_comment hash_bang_line string_fragment template_string regex_pattern jsx_text'.split(
    ' ',
  ),
);

/**
 * How deep a text nests, counted as `boundJavascriptNesting` does, by tree-sitter, which keeps its own
 * stack. Infinite for a text about which tree-sitter and another parser need not agree.
 */
export async function measureJavascriptDepth(
  text: string,
  grammar: GrammarName,
  trees: SyntaxTrees,
): Promise<number> {
  if (ambiguous.test(text)) return Number.POSITIVE_INFINITY;
  const tree = await trees.parse(grammar, text).catch((error: unknown) => {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  });
  if (!tree) return Number.POSITIVE_INFINITY;
  try {
    if (tree.rootNode.hasError) return Number.POSITIVE_INFINITY;
    const cursor = tree.walk();
    let depth = 0;
    let deepest = 0;
    let hidden = 0;
    for (let isWithin = true; isWithin;) {
      if (opaqueTypes.has(cursor.nodeType)) {
        hidden += boundJavascriptNesting(text.slice(cursor.startIndex, cursor.endIndex));
      }
      if (cursor.gotoFirstChild()) {
        depth += 1;
        deepest = Math.max(deepest, depth);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        isWithin = cursor.gotoParent();
        depth -= 1;
        if (!isWithin) break;
      }
    }
    cursor.delete();
    return deepest * bracketWeight + hidden;
  } finally {
    tree.delete();
  }
}

/**
 * The native parser goes down the stack with every level of nesting. In 4 MB it holds about 2,700
 * brackets or 8,000 operators inside each other: a text that counts less comes nowhere near.
 */
export const maxJavascriptNesting = 6_000;

/** A bracket, also a pointed one, costs the parser up to four times the stack of an operator. */
const bracketWeight = 4;

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

const probeLimits: ChildLimits = { timeLimitMs: 30_000, maxOutputBytes: 1024 * 1024 };

/** Less than the 4 MB of our own workers: what fits here fits there, whatever the callers use. */
const probeStackMb = 3;

/** A text and all the ways it is going to be parsed, the later ones after an error only. */
interface ProbedParse {
  readonly path: string;
  readonly text: string;
  readonly fileName: string;
  readonly attempts: readonly ParserOptions[];
}

/**
 * Throws `TooComplexError` for a text on which the native parser's stack ends. Nothing but the
 * parser itself knows how deep it goes, so a process that may crash tries it first.
 */
export async function assertParserSurvives(parse: ProbedParse): Promise<void> {
  const parser = createRequire(import.meta.url).resolve('oxc-parser');
  const end = await runChild({
    program: process.execPath,
    args: ['-e', probe, parser, parse.fileName, JSON.stringify(parse.attempts)],
    stdin: parse.text,
    limits: probeLimits,
    signal: new AbortController().signal,
  });
  if (end.kind === 'exited' && end.exitCode === 0) return;
  const reason = end.kind === 'stopped' ? end.reason : undefined;
  throw new TooComplexError(
    parse.path,
    reason === undefined ? 'it is nested too deeply' : `the parser was stopped on it: ${reason}`,
  );
}

/**
 * In a thread, because only a thread's stack has the same size everywhere. It also ends by itself:
 * the waiting process may be stopped meanwhile.
 */
const probe = `
setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${probeLimits.timeLimitMs}).unref();
const [parser, fileName, attempts] = process.argv.slice(1);
new (require('node:worker_threads').Worker)(
  \`const { parser, fileName, attempts, text } = require('node:worker_threads').workerData;
  const { parseSync } = require(parser);
  attempts.find((options) => parseSync(fileName, text, options).errors.length === 0);\`,
  {
    eval: true,
    workerData: {
      parser,
      fileName,
      attempts: JSON.parse(attempts),
      text: require('node:fs').readFileSync(0, 'utf8'),
    },
    resourceLimits: { stackSizeMb: ${probeStackMb} },
  },
);`;
