import type { CodeContext } from '../code-context.ts';
import { findComponents } from '../dependencies/find-cycles.ts';
import { readLanguageData } from '../language.ts';
import { hooks as go } from '../languages/go/complexity.ts';
import { hooks as java } from '../languages/java/complexity.ts';
import { hooks as javascript } from '../languages/javascript/complexity.ts';
import { hooks as python } from '../languages/python/complexity.ts';
import { countPythonHalstead, countPythonLines } from '../languages/python/radon.ts';
import { hooks as rust } from '../languages/rust/complexity.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';
import { type CodeTree, parseProgram, type ProgramLanguage } from './code-tree.ts';
import {
  type ComplexityRules,
  describeByFields,
  type LanguageHooks,
  rulesSchema,
} from './complexity-rules.ts';
import type { FileComplexity, FunctionComplexity } from './complexity-schema.ts';
import {
  countHalstead,
  countLines,
  countStatements,
  maintainabilityIndex,
} from './maintainability.ts';
import { type MeasuredTree, measureScopes, type Scope } from './measure-scopes.ts';
import { measureStructure } from './measure-structure.ts';

/** Measures one text. Throws `CodeSyntaxError` when JavaScript or TypeScript cannot be parsed. */
export async function measureComplexity(
  file: SourceFile,
  context: Pick<CodeContext, 'trees'>,
): Promise<FileComplexity> {
  const { path, language } = file;
  if (language === 'sql' || language === 'html' || language === 'css') {
    const { lines, structure } = await measureStructure({ ...file, language }, context);
    return {
      path,
      language,
      cyclomatic_complexity: null,
      cognitive_complexity: null,
      lines_of_code: lines.code,
      maintainability_index: null,
      structure,
      functions: [],
      lines,
    };
  }
  const tree = await parseProgram({ ...file, language }, context);
  const rules = rulesFor(language);
  const measured = measureScopes(tree, rules);
  const recursive = findRecursion(tree, rules, measured.scopes);
  for (const scope of recursive) addRecursion(scope);
  const { lines, index } = measureText(language, tree, measured);
  const positions = new TextPositions(tree.text);
  return {
    path,
    language,
    cyclomatic_complexity: measured.decisions + 1,
    cognitive_complexity: measured.file.cognitive + recursive.length,
    lines_of_code: lines.code,
    maintainability_index: index,
    functions: measured.scopes.filter(isListed).map((scope) => describeFunction(scope, positions)),
    lines,
  };
}

const languageHooks: Readonly<Partial<Record<ProgramLanguage, LanguageHooks>>> = {
  go,
  java,
  javascript,
  python,
  rust,
};

/** The rules of a language, from its `complexity.yaml` and `complexity.ts`. */
export function rulesFor(language: ProgramLanguage): ComplexityRules {
  const name = language === 'typescript' ? 'javascript' : language;
  const hooks = languageHooks[name] ?? { describe: (scope) => describeByFields(scope) };
  return { ...readLanguageData(name, 'complexity.yaml', rulesSchema), ...hooks };
}

/** One more for a function in a cycle of calls, and for the functions around it that include its complexity. */
function addRecursion(recursive: Scope): void {
  let scope: Scope | undefined = recursive;
  while (scope && scope.type !== 'file') {
    scope.cognitive += 1;
    scope = scope.cognitiveRule === 'alone' ? undefined : scope.outer;
  }
}

/** Methods of interfaces and abstract methods end with a semicolon. */
function isListed({ type, node }: Scope): boolean {
  const isBodiless = node?.kind === 'method_declaration' && node.children.at(-1)?.kind === ';';
  return type === 'initializer' || (type === 'function' && !isBodiless);
}

function describeFunction(scope: Scope, positions: TextPositions): FunctionComplexity {
  const startLine = positions.line(scope.start);
  const endLine = positions.line(Math.max(scope.start, (scope.node?.end ?? 0) - 1));
  return {
    name: qualifiedName(scope),
    start_line: startLine,
    end_line: endLine,
    cyclomatic: scope.decisions + 1,
    cognitive: scope.cognitive,
    nesting: scope.nesting,
    parameters: scope.parameters,
    lines: endLine - startLine + 1,
  };
}

/** Deeper names keep their inner end. */
const maxNameParts = 8;

/**
 * The name of a scope with those around it: `Class.method`, `outer.inner`. A field's initialiser has the field's name,
 * and so has the function it holds: once is enough.
 */
function qualifiedName(named: Scope): string {
  const parts = [named.name];
  let scope = named.outer;
  while (scope && scope.type !== 'file' && parts.length < maxNameParts) {
    if (scope.type === 'function' || scope.type === 'class') parts.unshift(scope.name);
    scope = scope.outer;
  }
  return (scope && scope.type !== 'file' ? '….' : '') + parts.join('.');
}

function measureText(
  language: ProgramLanguage,
  tree: CodeTree,
  measured: MeasuredTree,
): { readonly lines: FileComplexity['lines']; readonly index: number } {
  if (language === 'python') {
    const { commentsAndDocstrings, ...lines } = countPythonLines(tree);
    const index = maintainabilityIndex({
      halstead: countPythonHalstead(tree),
      cyclomatic: radonTotal(measured),
      logicalLines: lines.logical,
      codeLines: lines.code,
      commentLines: commentsAndDocstrings,
    });
    return { lines, index };
  }
  const rules = rulesFor(language);
  const logical = countStatements(tree, rules.statements);
  const lines = countLines({ text: tree.text, comments: tree.comments, logical });
  const index = maintainabilityIndex({
    halstead: countHalstead(tree, rules.halstead),
    cyclomatic: measured.decisions + 1,
    logicalLines: logical,
    codeLines: lines.code,
    commentLines: lines.comment,
  });
  return { lines, index };
}

/**
 * radon's complexity of a module: functions, classes and methods at the top, not what is inside
 * them; a method counts with its own first path, a function without.
 */
function radonTotal({ scopes, file }: MeasuredTree): number {
  let total = 1 + file.decisions;
  for (const { type, outer, decisions } of scopes) {
    const isTop = outer === file;
    const isMethod = type === 'function' && outer?.type === 'class' && outer.outer === file;
    if (isTop && (type === 'function' || type === 'class')) total += decisions;
    if (isMethod) total += decisions + 1;
  }
  return total;
}

/** The functions that call themselves, directly or through others of the same file. */
function findRecursion(
  tree: CodeTree,
  rules: ComplexityRules,
  scopes: readonly Scope[],
): readonly Scope[] {
  const calls = findCalls(tree, rules, scopes);
  const recursive = findComponents(calls).filter(
    ([first = '', ...others]) => others.length > 0 || calls.get(first)?.includes(first),
  );
  return recursive.flat().flatMap((id) => scopes[Number(id)] ?? []);
}

/** For every scope the functions of the file it calls, by their indices. */
function findCalls(
  tree: CodeTree,
  { calls: rule, callee: calleeOf }: ComplexityRules,
  scopes: readonly Scope[],
): ReadonlyMap<string, readonly string[]> {
  const calls = new Map(scopes.map((_, index): [string, string[]] => [String(index), []]));
  if (!rule || !calleeOf) return calls;
  const indices = new Map(scopes.map((scope, index) => [scope, String(index)]));
  const functions = scopes.filter(({ type }) => type === 'function');
  const byName = groupByName(functions, rule.isOverloaded);
  const open: Scope[] = [];
  let next = 0;
  for (const node of tree.nodes) {
    while ((open.at(-1)?.node?.last ?? node.index) < node.index) open.pop();
    for (let one = functions[next]; one?.node === node; one = functions[(next += 1)])
      open.push(one);
    const caller = open.at(-1);
    if (!caller?.node || node.kind !== rule.kind) continue;
    const callee = calleeOf(node, caller.node);
    const owner = callee?.of === 'class' ? ownerOf(caller) : '';
    if (!callee || owner === undefined) continue;
    const named = byName.get(keyOf(owner, callee.name, rule.isOverloaded && callee.arguments));
    const target = named?.find((candidate) => isVisible(candidate, caller));
    if (target) calls.get(indices.get(caller) ?? '')?.push(indices.get(target) ?? '');
  }
  return calls;
}

/** Beyond this many functions of one name the rest is ignored. */
const maxSameNames = 100;

/** Innermost first, so that the nearest of several functions of one name is found. */
function groupByName(
  functions: readonly Scope[],
  isOverloaded: boolean,
): ReadonlyMap<string, readonly Scope[]> {
  const groups = new Map<string, Scope[]>();
  for (const one of functions) {
    const owner = one.outer?.type === 'class' ? one.outer.name : '';
    const key = keyOf(owner, one.name, isOverloaded && one.parameters);
    const group = groups.get(key) ?? [];
    if (group.length < maxSameNames) group.unshift(one);
    groups.set(key, group);
  }
  return groups;
}

function keyOf(owner: string, name: string, parameters: number | false): string {
  return `${owner === '' ? '' : `${owner}.`}${name}${parameters === false ? '' : `/${parameters}`}`;
}

const maxSteps = 64;

/** The name of the nearest class around a function. */
function ownerOf(scope: Scope): string | undefined {
  let around = scope.outer;
  for (let steps = 0; around && steps < maxSteps; steps += 1) {
    if (around.type === 'class') return around.name;
    around = around.outer;
  }
  return undefined;
}

/** A function is known in the scope that declares it and in everything inside that scope. */
function isVisible({ outer: home }: Scope, caller: Scope): boolean {
  if (!home || home.type === 'file' || home.type === 'class') return true;
  let around: Scope | undefined = caller;
  for (let steps = 0; around && steps < maxSteps; steps += 1) {
    if (around === home) return true;
    around = around.outer;
  }
  return false;
}
