import type { CodeContext } from '../code-context.ts';
import type { Language } from '../language.ts';
import { TextPositions } from '../text-positions.ts';
import type { SourceFile } from '../source-files.ts';
import { countHalstead, countPythonHalstead, type HalsteadCounts } from './count-halstead.ts';
import { countLines, countStatements, type LineCounts } from './count-lines.ts';
import { countPythonLines } from './count-python-lines.ts';
import { rulesFor } from './rules-for.ts';
import { findRecursion } from './find-recursion.ts';
import { kindOf, type FlatTree } from './flat-tree.ts';
import { measureScopes, type MeasuredScope, type MeasuredTree } from './measure-scopes.ts';
import { measureStructure, type Structure } from './measure-structure.ts';
import { flattenSource, type ProgramLanguage } from './flatten-source.ts';

/** One function, method or initialiser. Lines start at 1. */
export interface FunctionComplexity {
  readonly name: string;
  /** The line of the name or keyword, not of a decorator or annotation. */
  readonly startLine: number;
  readonly endLine: number;
  readonly cyclomatic: number;
  readonly cognitive: number;
  /** The deepest control structure: 1 for an `if` that stands alone. */
  readonly nesting: number;
  readonly parameters: number;
  readonly lines: number;
}

/** The numbers of one text. For SQL, HTML and CSS only `lines` and `structure` apply. */
export interface FileComplexity {
  readonly path: string;
  readonly language: Language;
  /** In source order. */
  readonly functions: readonly FunctionComplexity[];
  /** Of the whole text as if it were one function: one more than its decision points. */
  readonly cyclomatic: number | null;
  /** Sum over the outermost functions and what stands outside them. */
  readonly cognitive: number | null;
  readonly linesOfCode: number;
  readonly lines: LineCounts;
  /** 0 (hard) to 100 (easy). */
  readonly maintainabilityIndex: number | null;
  readonly structure: Structure | null;
}

/** Measures one text. Throws `CodeSyntaxError` when JavaScript or TypeScript cannot be parsed. */
export async function measureComplexity(
  file: SourceFile,
  context: Pick<CodeContext, 'trees'>,
): Promise<FileComplexity> {
  const { language } = file;
  if (language === 'sql' || language === 'html' || language === 'css') {
    const { lines, structure } = await measureStructure({ ...file, language }, context);
    const { path } = file;
    const notApplicable = { cyclomatic: null, cognitive: null, maintainabilityIndex: null };
    const linesOfCode = lines.code;
    return { path, language, functions: [], ...notApplicable, linesOfCode, lines, structure };
  }
  const tree = await flattenSource({ ...file, language }, context);
  return measureProgram(file.path, language, tree);
}

function measureProgram(path: string, language: ProgramLanguage, tree: FlatTree): FileComplexity {
  const rules = rulesFor(language);
  const measured = measureScopes(tree, rules);
  const recursion = addRecursion(measured, findRecursion(tree, rules, measured.scopes));
  const positions = new TextPositions(tree.text);
  const { lines, index } = measureText(language, tree, measured);
  return {
    path,
    language,
    functions: measured.scopes.flatMap((scope, at) =>
      isListed(tree, scope)
        ? [describeFunction(scope, qualifiedName(measured.scopes, at), positions)]
        : [],
    ),
    cyclomatic: measured.decisions + 1,
    cognitive: measured.cognitive + recursion,
    linesOfCode: lines.code,
    lines,
    maintainabilityIndex: index,
    structure: null,
  };
}

/** Adds one for every function in a cycle of calls, and returns how much the text gained. */
function addRecursion(measured: MeasuredTree, recursive: ReadonlySet<number>): number {
  for (const member of recursive) {
    let scope = measured.scopes[member];
    while (scope) {
      scope.cognitive += 1;
      scope = scope.isSeenFromOutside ? measured.scopes[scope.outer] : undefined;
    }
  }
  return recursive.size;
}

function isListed(tree: FlatTree, scope: MeasuredScope): boolean {
  if (scope.type === 'initializer') return true;
  return scope.type === 'function' && !isBodiless(tree, scope.node);
}

/** Methods of interfaces and abstract methods end with a semicolon. */
function isBodiless(tree: FlatTree, node: number): boolean {
  return (
    kindOf(tree, node) === 'method_declaration' && kindOf(tree, tree.lasts[node] ?? node) === ';'
  );
}

function describeFunction(
  scope: MeasuredScope,
  name: string,
  positions: TextPositions,
): FunctionComplexity {
  const startLine = positions.position(scope.start).line;
  const endLine = positions.position(Math.max(scope.start, scope.end - 1)).line;
  return {
    name,
    startLine,
    endLine,
    cyclomatic: scope.decisions + 1,
    cognitive: scope.cognitive,
    nesting: scope.nesting,
    parameters: scope.parameters,
    lines: endLine - startLine + 1,
  };
}

function measureText(
  language: ProgramLanguage,
  tree: FlatTree,
  measured: MeasuredTree,
): { readonly lines: LineCounts; readonly index: number } {
  if (language === 'python') return measurePythonText(tree, measured);
  const rules = rulesFor(language);
  const logical = countStatements(tree, rules.statements);
  const lines = countLines({ text: tree.text, comments: tree.comments, logical });
  const index = maintainabilityIndex({
    halstead: countHalstead(tree, rules.halstead),
    cyclomatic: measured.decisions + 1,
    logicalLines: logical,
    commentPercent: lines.code === 0 ? 0 : (lines.comment / lines.code) * 100,
  });
  return { lines, index };
}

function measurePythonText(
  tree: FlatTree,
  measured: MeasuredTree,
): { readonly lines: LineCounts; readonly index: number } {
  const { commentsAndDocstrings, ...lines } = countPythonLines(tree.text);
  const index = maintainabilityIndex({
    halstead: countPythonHalstead(tree),
    cyclomatic: radonTotal(measured),
    logicalLines: lines.logical,
    commentPercent: lines.code === 0 ? 0 : (commentsAndDocstrings / lines.code) * 100,
  });
  return { lines, index };
}

/**
 * radon's complexity of a module: functions, classes and methods at the top, not what is inside
 * them; a method counts with its own first path, a function without.
 */
function radonTotal({ scopes, topLevelDecisions }: MeasuredTree): number {
  let total = 1 + topLevelDecisions;
  for (const { path, decisions } of scopes) {
    if (path === 'f' || path === 'c') total += decisions;
    if (path === 'cf') total += decisions + 1;
  }
  return total;
}

/** More parts than anybody reads; deeper names keep their inner end. */
const maxNameParts = 8;

/** The name of a scope with those around it: `Class.method`, `outer.inner`. */
function qualifiedName(scopes: readonly MeasuredScope[], index: number): string {
  const parts: string[] = [];
  let scope = scopes[index];
  while (scope && parts.length < maxNameParts) {
    if (parts.length === 0 || isNaming(scope)) parts.unshift(scope.name);
    scope = scopes[scope.outer];
  }
  return (scope ? '….' : '') + parts.join('.');
}

/** A field's initialiser has the field's name, and so has the function it holds: once is enough. */
function isNaming(scope: MeasuredScope): boolean {
  return scope.type === 'function' || scope.type === 'class';
}

interface MaintainabilityInput {
  readonly halstead: HalsteadCounts;
  readonly cyclomatic: number;
  readonly logicalLines: number;
  /** Comment lines for each hundred lines of code. */
  readonly commentPercent: number;
}

/**
 * radon's maintainability index, 0 (hard) to 100 (easy):
 * `171 − 5.2 ln V − 0.23 G − 16.2 ln L + 50 sin √(2.46 C)`, scaled by 100/171 and cut off, where
 * `V` is Halstead's volume, `G` cyclomatic complexity, `L` logical lines and `C` the comments in
 * percent taken as degrees.
 */
function maintainabilityIndex(input: MaintainabilityInput): number {
  const volume = halsteadVolume(input.halstead);
  if (volume <= 0 || input.logicalLines <= 0) return 100;
  const radians = (input.commentPercent * Math.PI) / 180;
  const raw =
    171 -
    5.2 * Math.log(volume) -
    0.23 * input.cyclomatic -
    16.2 * Math.log(input.logicalLines) +
    50 * Math.sin(Math.sqrt(2.46 * radians));
  return Math.min(Math.max(0, (raw * 100) / 171), 100);
}

/** Length times the bits one symbol of the vocabulary takes. */
function halsteadVolume(counts: HalsteadCounts): number {
  const vocabulary = counts.distinctOperators + counts.distinctOperands;
  if (vocabulary === 0) return 0;
  return (counts.operators + counts.operands) * Math.log2(vocabulary);
}
