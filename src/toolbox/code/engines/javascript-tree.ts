import { createRequire } from 'node:module';
import type { ParseResult, ParserOptions } from 'oxc-parser';
import { CodeSyntaxError, syntaxError, TooComplexError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import { firstErrorIn, type GrammarName, type SyntaxTrees } from '../syntax-tree.ts';
import { hasLongLine } from '../text-positions.ts';
import { type ChildLimits, runChild } from './run-child.ts';

/** Which dialect of JavaScript a text is in. JSX is tried where the file name does not forbid it. */
export type JavascriptDialect = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts';

interface JavascriptSource {
  readonly path: string;
  readonly text: string;
  readonly dialect: JavascriptDialect;
  /** Also looks for what the grammar allows but the language forbids, such as a name declared twice. */
  readonly semanticErrors?: boolean;
}

/** The dialect to parse a file as: by its ending, else TypeScript without JSX or JavaScript with it. */
export function dialectOf(path: string, language: 'javascript' | 'typescript'): JavascriptDialect {
  if (language === 'javascript') return 'jsx';
  if (path.endsWith('.tsx')) return 'tsx';
  return /\.d\.[cm]?ts$/.test(path) ? 'dts' : 'ts';
}

/**
 * ESTree (TS-ESTree for TypeScript) of a text, by oxc; its problems are in `errors`. What is no valid
 * module but a valid script (`with`, octal numbers, `await` as a name) is parsed as one.
 *
 * oxc is native code and takes the whole process with it when its stack or the memory ends. What
 * could do that never reaches it: `TooComplexError` or `CodeSyntaxError` is thrown instead.
 */
export async function parseJavascript(
  source: JavascriptSource,
  trees: SyntaxTrees,
): Promise<ParseResult> {
  const { text, dialect } = source;
  const fileName = dialect === 'dts' ? 'source.d.ts' : `source.${dialect}`;
  const isLong = hasLongLine(text);
  // Tree-sitter does not see these errors, so on a long line nothing keeps them from filling the memory.
  const showSemanticErrors = source.semanticErrors === true && !isLong;
  const module = { ...optionsFor(dialect, 'module'), showSemanticErrors };
  const script = { ...optionsFor(dialect, 'commonjs'), showSemanticErrors };
  if (isLong) await assertUnbroken(source, trees);
  if (await mayNestTooDeeply(source, trees)) {
    await assertParserSurvives({ path: source.path, text, fileName, attempts: [module, script] });
  }
  const { parseSync } = await import('oxc-parser');
  const asModule = parseSync(fileName, text, module);
  if (asModule.errors.length === 0) return asModule;
  // As a script, TypeScript may have imports too, and less would be an error.
  if (showSemanticErrors && asModule.module.hasModuleSyntax) return asModule;
  const asScript = parseSync(fileName, text, script);
  return asScript.errors.length === 0 ? asScript : asModule;
}

/** Most texts are cleared by counting, most others by their real depth; a few have to be tried. */
async function mayNestTooDeeply(source: JavascriptSource, trees: SyntaxTrees): Promise<boolean> {
  const { text, dialect } = source;
  if (boundJavascriptNesting(text) <= maxJavascriptNesting) return false;
  const depth = await measureJavascriptDepth(text, grammarOf(dialect), trees);
  return depth > maxJavascriptNesting;
}

function optionsFor(dialect: JavascriptDialect, sourceType: 'module' | 'commonjs'): ParserOptions {
  return {
    lang: dialect,
    sourceType,
    astType: dialect.includes('ts') ? 'ts' : 'js',
    range: true,
  };
}

/** Each of oxc's errors carries the line it is on: on a long line, many of them fill the memory. */
async function assertUnbroken(source: JavascriptSource, trees: SyntaxTrees): Promise<void> {
  const tree = await trees.parse(grammarOf(source.dialect), source.text);
  try {
    const position = firstErrorIn(tree);
    if (!position) return;
    // Very deep text is an error to tree-sitter too, valid or not.
    if (boundJavascriptNesting(source.text) > maxJavascriptNesting) {
      throw new TooComplexError(source.path, 'it is nested too deeply, or broken');
    }
    const language = source.dialect.includes('ts') ? 'typescript' : 'javascript';
    const message = 'Unexpected text on a very long line';
    throw syntaxError({ path: source.path, language }, position, message);
  } finally {
    tree.delete();
  }
}

function grammarOf(dialect: JavascriptDialect): GrammarName {
  if (dialect === 'tsx') return 'tsx';
  return dialect.includes('ts') ? 'typescript' : 'javascript';
}

/**
 * Parses a JavaScript or TypeScript file in the dialect its name says. TypeScript without a name is
 * tried without JSX, then with it; when it is neither, the problems are those of the first. Throws
 * what `parseJavascript` throws.
 */
export async function parseJavascriptFile(
  file: SourceFile,
  trees: SyntaxTrees,
  options: Pick<JavascriptSource, 'semanticErrors'> = {},
): Promise<ParseResult> {
  const source = { ...options, path: file.path, text: file.text };
  const [likeliest, other] = dialectsOf(file);
  const first = await attempt({ ...source, dialect: likeliest }, trees);
  if (other !== undefined && !isParsed(first)) {
    const second = await attempt({ ...source, dialect: other }, trees);
    if (isParsed(second)) return second;
  }
  if (first instanceof CodeSyntaxError) throw first;
  return first;
}

type Attempt = ParseResult | CodeSyntaxError;

async function attempt(source: JavascriptSource, trees: SyntaxTrees): Promise<Attempt> {
  try {
    return await parseJavascript(source, trees);
  } catch (error) {
    if (error instanceof CodeSyntaxError) return error;
    throw error;
  }
}

function isParsed(attempted: Attempt): attempted is ParseResult {
  return !(attempted instanceof CodeSyntaxError) && attempted.errors.length === 0;
}

function dialectsOf({
  path,
  language,
}: SourceFile): readonly [JavascriptDialect, JavascriptDialect?] {
  if (language !== 'typescript') return [dialectOf(path, 'javascript')];
  return path === inlinePath ? ['ts', 'tsx'] : [dialectOf(path, 'typescript')];
}

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
async function measureJavascriptDepth(
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
const maxJavascriptNesting = 6_000;

/** A bracket, also a pointed one, costs the parser up to four times the stack of an operator. */
const bracketWeight = 4;

/**
 * How deep a text could nest at most, in operators: everything that can open a level counts, as if
 * nothing ever closed. Strings, comments and the like are not left out, because where they begin is
 * only known to the parser: whatever it takes for code is counted.
 */
function boundJavascriptNesting(text: string): number {
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
async function assertParserSurvives(parse: ProbedParse): Promise<void> {
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
