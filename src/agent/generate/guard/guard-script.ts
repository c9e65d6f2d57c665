import type { Node } from 'web-tree-sitter';
import { ancestors, walkTree } from '../syntax-tree.ts';
import { type Guarded, nameSet, pattern, readRules, type Suspicion } from './suspicion.ts';

const rules = readRules('javascript', {
  allowedOfProcess: nameSet,
  deniedMembers: nameSet,
  deniedModules: nameSet,
  deniedNames: nameSet,
  deniedStrings: pattern,
  deniedStringsOfCode: pattern,
  deniedVariables: pattern,
  ownObjects: nameSet,
  testModules: nameSet,
});

/** How JavaScript or TypeScript code could influence its own test run. */
export function guardScript(root: Node, guarded: Guarded): Suspicion[] {
  const found: Suspicion[] = [];
  const known = { guarded, imported: importedNames(root) };
  walkTree(root, root, (node, parent) => {
    const what = problemOf(node, parent, known);
    if (what !== undefined) found.push({ line: node.startPosition.row + 1, what });
    return node.type === 'import_statement' ? undefined : node;
  });
  return found;
}

interface Known {
  readonly guarded: Guarded;
  readonly imported: ReadonlySet<string>;
}

function importedNames(root: Node): ReadonlySet<string> {
  const names = new Set<string>();
  walkTree(root, false, (node, isImport) => {
    if (isImport && node.type === 'identifier') names.add(node.text);
    const isRequired =
      node.type === 'variable_declarator' &&
      node.childForFieldName('value')?.text.startsWith('require(') === true;
    if (isRequired) {
      for (const [name] of (node.childForFieldName('name')?.text ?? '').matchAll(/\w+/g))
        names.add(name);
    }
    return isImport || node.type === 'import_clause';
  });
  return names;
}

function problemOf(node: Node, parent: Node, known: Known): string | undefined {
  switch (node.type) {
    case 'import_statement':
      return importProblem(node, known.guarded);
    case 'identifier':
      return nameProblem(node, parent);
    case 'meta_property':
      return isMainGuard(node) ? undefined : 'import.meta';
    case 'member_expression':
      return memberProblem(node, parent, known.guarded);
    case 'subscript_expression':
      return subscriptProblem(node);
    case 'assignment_expression':
    case 'augmented_assignment_expression':
      return changeProblem(node.childForFieldName('left'), known);
    case 'unary_expression':
      return node.text.startsWith('delete ') ? changeProblem(node.namedChild(0), known) : undefined;
    case 'call_expression':
      return callProblem(node, known);
    case 'predefined_type':
      return node.text === 'any' ? anyProblem(node, known.guarded) : undefined;
    case 'as_expression':
      return castProblem(node, known.guarded);
    case 'shorthand_property_identifier_pattern':
      return rules.deniedMembers.has(node.text) ? node.text : undefined;
    case 'comment':
      return commentProblem(node.text, known.guarded);
    case 'string_fragment':
      return stringProblem(node.text, known.guarded, parent);
    default:
      return undefined;
  }
}

/** `any` disables type checks; in bounds of type parameters and in types of functions it is checked at the use. Tests may use it. */
function anyProblem(node: Node, { role }: Guarded): string | undefined {
  if (role === 'tests') return undefined;
  const isAllowed = [...ancestors(node)].some(
    (above) =>
      /^(?:type_parameters|constraint|function_type)$/.test(above.type) ||
      above.childForFieldName('pattern')?.type === 'rest_pattern',
  );
  return isAllowed ? undefined : 'the type any';
}

/** `x as unknown as T` makes anything of anything; in tests it hides what a call returns. */
function castProblem(node: Node, { role }: Guarded): string | undefined {
  const [value, type] = node.namedChildren;
  const isDouble = value?.type === 'as_expression' && /\bas unknown$/.test(value.text);
  if (role === 'code') return isDouble ? 'a cast by way of unknown' : undefined;
  const inner = isDouble ? value.namedChild(0) : value;
  const isResult = /^(?:call_expression|await_expression|parenthesized_expression)$/.test(
    inner?.type ?? '',
  );
  const isHidden = isDouble || type?.text === 'any';
  return isResult && isHidden ? 'a cast of what a call returns' : undefined;
}

/** Types that are not checked are not known to be right. */
function commentProblem(text: string, { role }: Guarded): string | undefined {
  return role === 'code' ? /@ts-(?:nocheck|ignore|expect-error)\b/.exec(text)?.[0] : undefined;
}

function importProblem(node: Node, guarded: Guarded): string | undefined {
  const source = unquote(node.childForFieldName('source')?.text ?? '');
  const isSites = /\bgetCallSites\b/.test(node.text);
  return isSites ? 'getCallSites' : moduleProblem(source, guarded);
}

function moduleProblem(path: string, { role }: Guarded): string | undefined {
  const name = path.replace(/^node:/, '');
  const isDenied =
    rules.deniedModules.has(name) || (role === 'code' && rules.testModules.has(name));
  return isDenied ? path : undefined;
}

function nameProblem(node: Node, parent: Node): string | undefined {
  // Tests replace the network, which no test runner needs.
  if (parent.text === 'globalThis.fetch') return undefined;
  if (rules.deniedNames.has(node.text)) return node.text;
  const isBareProcess = node.text === 'process' && parent.type !== 'member_expression';
  return isBareProcess ? 'process as a value' : undefined;
}

function memberProblem(node: Node, parent: Node, { role }: Guarded): string | undefined {
  const object = node.childForFieldName('object')?.text ?? '';
  const property = node.childForFieldName('property')?.text ?? '';
  if (object === 'process') return processProblem(property, parent, role);
  if (object === 'process.env' && rules.deniedVariables.test(property))
    return `process.env.${property}`;
  if (object === 'process.stdout' || object === 'process.stderr') {
    return property === 'write' ? undefined : `${object}.${property}`;
  }
  // A property of one's own called `stack` is common.
  const isOwn = property === 'stack' && (object === 'this' || role === 'tests');
  return rules.deniedMembers.has(property) && !isOwn ? property : undefined;
}

/** Of the environment single variables that name themselves; of the arguments nothing outside of tests. */
function processProblem(property: string, parent: Node, role: Guarded['role']): string | undefined {
  if (!rules.allowedOfProcess.has(property)) return `process.${property}`;
  if (role === 'tests') return undefined;
  if (property === 'argv')
    return isInMain(parent) || isMainGuard(parent) ? undefined : 'process.argv';
  const index = parent.childForFieldName('index');
  const isNamed = index ? index.type === 'string' : parent.type === 'member_expression';
  return property === 'env' && !isNamed && !isAskedByName(parent)
    ? 'all of process.env'
    : undefined;
}

/** `(env = process.env)`, where nothing but single variables is read of it. */
function isAskedByName(parent: Node): boolean {
  const name = ['left', 'pattern', 'name']
    .map((field) => parent.childForFieldName(field))
    .find(Boolean)?.text;
  const isDefault = /^(?:assignment_pattern|required_parameter|variable_declarator)$/;
  if (name === undefined || !/^\w+$/.test(name) || !isDefault.test(parent.type)) return false;
  const root = [...ancestors(parent)].at(-1) ?? parent;
  return root
    .descendantsOfType('identifier')
    .filter((one) => one.text === name && one.parent?.equals(parent) === false)
    .every(({ parent: use }) => {
      const read = /^\w+(?:\.(\w+)|\[['"](\w+)['"]\])$/.exec(use?.text ?? '');
      return read !== null && !rules.deniedVariables.test(read[1] ?? read[2] ?? '');
    });
}

function isInMain(node: Node): boolean {
  return [...ancestors(node)].some(
    (above) =>
      above.type === 'function_declaration' && above.childForFieldName('name')?.text === 'main',
  );
}

/** `if (import.meta.main) main();` or its older form, at the top level and without an else. */
function isMainGuard(node: Node): boolean {
  const above = [...ancestors(node)].find(({ type }) => type === 'if_statement');
  if (above?.parent?.type !== 'program' || above.childForFieldName('alternative')) return false;
  const condition = above.childForFieldName('condition');
  const isInside = condition !== null && condition.endIndex >= node.endIndex;
  return (
    isInside &&
    /^\((?:import\.meta\.main|import\.meta\.url === [^&|?]*process\.argv\[1\][^&|?]*)\)$/.test(
      condition.text,
    )
  );
}

function subscriptProblem(node: Node): string | undefined {
  const object = node.childForFieldName('object')?.text ?? '';
  const isEngine = rules.ownObjects.has(object) || object === 'globalThis';
  const index = unquote(node.childForFieldName('index')?.text ?? '');
  if (rules.deniedMembers.has(index)) return index;
  return isEngine ? `${object}[…]` : undefined;
}

/** Objects of the language or of another module must not be changed. */
function changeProblem(target: Node | null, { imported }: Known): string | undefined {
  if (!target || !/^(?:member|subscript)_expression$/.test(target.type)) return undefined;
  const rootName = /^\w+/.exec(target.text)?.[0] ?? '';
  const isHarmless = target.text === 'process.exitCode';
  const isForeign = imported.has(rootName) || rules.ownObjects.has(rootName);
  return isForeign && !isHarmless ? `a change of ${target.text.slice(0, 60)}` : undefined;
}

const changers =
  /^(?:Object\.(?:definePropert(?:y|ies)|assign|setPrototypeOf)|Reflect\.(?:defineProperty|set|setPrototypeOf|deleteProperty))$/;

function callProblem(node: Node, known: Known): string | undefined {
  const called = node.childForFieldName('function')?.text ?? '';
  const first = node.childForFieldName('arguments')?.namedChild(0);
  if (called === 'import' || called === 'require') {
    if (first?.type !== 'string') return `${called} of an unknown module`;
    return moduleProblem(unquote(first.text), known.guarded);
  }
  if (/\bconstructor$/.test(called)) return called.slice(-60);
  if (!changers.test(called)) return undefined;
  const rootName = /^\w+/.exec(first?.text ?? '')?.[0] ?? '';
  const isForeign = known.imported.has(rootName) || rules.ownObjects.has(rootName);
  return isForeign ? `a change of ${rootName}` : undefined;
}

function stringProblem(text: string, guarded: Guarded, parent: Node): string | undefined {
  const isCode = guarded.role === 'code';
  const match =
    rules.deniedStrings.exec(text) ?? (isCode ? rules.deniedStringsOfCode.exec(text) : null);
  if (match && !(match[0] === '__proto__' && isRefused(parent))) return `the text "${match[0]}"`;
  const isImport =
    /^(?:arguments|import_statement)$/.test(parent.parent?.type ?? '') && text.startsWith('./');
  const file = guarded.fileNames.find((name) => text.includes(name));
  return file === undefined || isImport ? undefined : `the file ${file}`;
}

/** Where a key is compared with `__proto__`, to leave it out, or JSON has it, which makes no prototype of it. */
function isRefused(text: Node): boolean {
  const around = text.parent;
  const called = around?.parent?.childForFieldName('function')?.text;
  if (around?.type === 'arguments') return called === 'JSON.parse';
  return around?.type === 'binary_expression' && /[!=]==?/.test(around.text);
}

function unquote(text: string): string {
  return text.replaceAll(/^['"`]|['"`]$/g, '');
}
