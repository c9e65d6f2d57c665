import type { Node } from 'web-tree-sitter';
import { ancestors, walkTree } from '../syntax-tree.ts';
import { type Guarded, nameSet, pattern, readRules, type Suspicion } from './suspicion.ts';

const rules = readRules('python', {
  allowedOfSys: nameSet,
  deniedAttributes: nameSet,
  deniedModules: nameSet,
  deniedNames: nameSet,
  deniedOfOs: nameSet,
  deniedStrings: pattern,
  deniedStringsOfCode: pattern,
  innerModules: nameSet,
  testModules: nameSet,
});

/** How Python code could influence its own test run. */
export function guardPython(root: Node, guarded: Guarded): Suspicion[] {
  const found: Suspicion[] = [];
  const imported = importsOf(root);
  const report = (node: Node, what: string | undefined): void => {
    if (what !== undefined) found.push({ line: node.startPosition.row + 1, what });
  };
  for (const { node, name } of imported.modules) report(node, moduleProblem(name, guarded));
  walkTree(root, root, (node, parent) => {
    if (node.type.startsWith('import_') || isDocumentation(node)) return undefined;
    report(node, problemOf(node, parent, { guarded, names: imported.names }));
    return node;
  });
  return found;
}

interface Imports {
  readonly modules: readonly { readonly node: Node; readonly name: string }[];
  /** What a name stands for: `sys`, `os.environ`. */
  readonly names: ReadonlyMap<string, string>;
}

function importsOf(root: Node): Imports {
  const modules: { node: Node; name: string }[] = [];
  const names = new Map<string, string>();
  walkTree(root, true, (node) => {
    if (node.type === 'import_statement' || node.type === 'import_from_statement') {
      const from = node.childForFieldName('module_name')?.text;
      if (from !== undefined) modules.push({ node, name: from });
      for (const item of node.childrenForFieldName('name')) {
        const path = item.childForFieldName('name')?.text ?? item.text;
        const alias = item.childForFieldName('alias')?.text;
        const whole = from === undefined ? path : `${from}.${path}`;
        modules.push({ node, name: whole });
        const firstPart = path.split('.')[0] ?? path;
        names.set(
          alias ?? firstPart,
          alias === undefined && from === undefined ? firstPart : whole,
        );
      }
      if (node.children.some(({ type }) => type === 'wildcard_import')) {
        modules.push({ node, name: `${from}.*` });
      }
      return undefined;
    }
    return true;
  });
  return { modules, names };
}

function moduleProblem(name: string, { role }: Guarded): string | undefined {
  const [first = '', second] = name.split('.');
  const isPrivate = first.startsWith('_') && first !== '__future__';
  if (rules.deniedModules.has(first) || isPrivate) return first;
  if (role === 'code' && rules.testModules.has(first)) return first;
  if (role === 'code' && name === 'sys.argv') return name;
  return second === undefined ? undefined : memberProblem(first, second);
}

function memberProblem(module: string, member: string): string | undefined {
  const isDenied =
    (module === 'sys' && !rules.allowedOfSys.has(member)) ||
    (module === 'os' && (rules.deniedOfOs.has(member) || member === '*')) ||
    rules.innerModules.has(member);
  return isDenied ? `${module}.${member}` : undefined;
}

interface Known {
  readonly guarded: Guarded;
  readonly names: Imports['names'];
}

function problemOf(node: Node, parent: Node, known: Known): string | undefined {
  switch (node.type) {
    case 'identifier':
      return nameProblem(node, parent, known);
    case 'attribute':
      return attributeProblem(node, parent, known);
    case 'string_content':
      return stringProblem(node.text, known.guarded);
    case 'assignment':
    case 'augmented_assignment':
      return assignmentProblem(node, known);
    case 'call':
      return callProblem(node, known);
    case 'function_definition':
      return equalityProblem(node);
    default:
      return undefined;
  }
}

const wholeModules: ReadonlySet<string> = new Set(['sys', 'os']);

function nameProblem(node: Node, parent: Node, { names }: Known): string | undefined {
  const isMember =
    parent.type === 'attribute' && parent.childForFieldName('attribute')?.equals(node);
  if (isMember === true) return memberNameProblem(node, parent, names);
  const isKeyword =
    parent.type === 'keyword_argument' && parent.childForFieldName('name')?.equals(node);
  if (isKeyword === true) return undefined;
  if (rules.deniedNames.has(node.text)) return node.text;
  if (node.text === '__name__') return mainGuardProblem(parent);
  const module = names.get(node.text);
  // A module that is passed around escapes these checks; test doubles name what they replace.
  const isBare = parent.type !== 'attribute' && !isPatching(parent);
  if (module !== undefined && wholeModules.has(module) && isBare)
    return `the module ${module} as a value`;
  return undefined;
}

/** `os.path.sys` is `sys`, however long the way to it. */
function memberNameProblem(
  node: Node,
  attribute: Node,
  names: Imports['names'],
): string | undefined {
  const rootName = /^\w+/.exec(attribute.text)?.[0] ?? '';
  const isInner = rules.innerModules.has(node.text) && names.has(rootName);
  return rules.deniedAttributes.has(node.text) || isInner ? node.text : undefined;
}

function isPatching(argumentList: Node): boolean {
  return /^(?:monkeypatch|mocker)\./.test(argumentList.parent?.text.slice(0, 20) ?? '');
}

/** `if __name__ == "__main__":` without an else; anything else asks whether it was imported. */
function mainGuardProblem(comparison: Node): string | undefined {
  const isPlain = /^__name__ == (?:"__main__"|'__main__')$/.test(comparison.text);
  const statement = comparison.parent;
  const isGuard =
    isPlain &&
    statement?.type === 'if_statement' &&
    statement.childForFieldName('alternative') === null;
  const isLoggerName = comparison.type === 'argument_list';
  return isGuard || isLoggerName ? undefined : '__name__';
}

function attributeProblem(node: Node, parent: Node, { names, guarded }: Known): string | undefined {
  const module = names.get(node.childForFieldName('object')?.text ?? '');
  const member = node.childForFieldName('attribute')?.text ?? '';
  if (module === undefined) return undefined;
  const problem = memberProblem(module, member);
  if (problem !== undefined || guarded.role === 'tests') return problem;
  if (module === 'sys' && member === 'argv') return isInMain(node) ? undefined : 'sys.argv';
  const isEnvironment = module === 'os' && member === 'environ';
  if (!isEnvironment || isAskedByName(node, parent)) return undefined;
  return 'all of os.environ';
}

/** `os.environ["HOME"]`; or a variable for it, `env or os.environ`, of which nothing but single variables are read. */
function isAskedByName(environment: Node, parent: Node): boolean {
  const use = `${parent.text.slice(0, 200)} ${parent.parent?.text.slice(0, 200) ?? ''}`;
  if (/environ(?:\[["']|\.get\(["'])/.test(use)) return true;
  const assigned = /^(?:boolean_operator|conditional_expression)$/.test(parent.type)
    ? parent.parent
    : parent;
  const isNaming = /^(?:assignment|default_parameter|typed_default_parameter)$/;
  if (!assigned || !isNaming.test(assigned.type)) return false;
  const name = (assigned.childForFieldName('left') ?? assigned.childForFieldName('name'))?.text;
  if (name === undefined || !/^\w+$/.test(name)) return false;
  return usesOf(environment, name).every((one) => isSingleRead(one, name));
}

function usesOf(anywhere: Node, name: string): Node[] {
  const root = [...ancestors(anywhere)].at(-1) ?? anywhere;
  return root.descendantsOfType('identifier').filter(({ text }) => text === name);
}

function isSingleRead(identifier: Node, name: string): boolean {
  const parent = identifier.parent;
  const isBound =
    parent?.childForFieldName('left')?.equals(identifier) === true ||
    parent?.childForFieldName('name')?.equals(identifier) === true ||
    /^(?:parameters|typed_parameter|boolean_operator|conditional_expression)$/.test(
      parent?.type ?? '',
    );
  const use = parent?.parent?.text.slice(0, 200) ?? '';
  const own = parent?.text.slice(0, 200) ?? '';
  const isRead = use.startsWith(`${name}.get("`) || use.startsWith(`${name}.get('`);
  const isCompared = /^(?:\w+ is (?:not )?None|(["'])\w+\1 (?:not )?in \w+)$/.test(own);
  return isBound || isRead || isCompared || /^\w+\[(?:"\w+"|'\w+')\]$/.test(own);
}

/** In `main`, or below `if __name__ == "__main__":`. */
function isInMain(node: Node): boolean {
  return [...ancestors(node)].some(
    (above) =>
      (above.type === 'function_definition' && above.childForFieldName('name')?.text === 'main') ||
      (above.type === 'if_statement' && above.text.startsWith('if __name__')),
  );
}

function stringProblem(text: string, { role, fileNames }: Guarded): string | undefined {
  const match =
    rules.deniedStrings.exec(text) ??
    (role === 'code' ? rules.deniedStringsOfCode.exec(text) : null);
  if (match) return `the text "${match[0]}"`;
  const file = fileNames.find((name) => text.includes(name));
  return file === undefined ? undefined : `the file ${file}`;
}

/** Imported objects must not be changed; `Account().balance = 5` changes an instance only. */
function assignmentProblem(node: Node, { names, guarded }: Known): string | undefined {
  const target = node.childForFieldName('left');
  if (!target || !/^(?:attribute|subscript)$/.test(target.type)) return undefined;
  const rootName = /^\w+/.exec(target.text)?.[0] ?? '';
  const owner = target.childForFieldName('object');
  const module = names.get(rootName)?.split('.')[0] ?? '';
  const isOwn = owner?.type === 'call' && guarded.fileNames.includes(`${module}.py`);
  return names.has(rootName) && !isOwn ? `a change of ${target.text.slice(0, 60)}` : undefined;
}

function callProblem(node: Node, { names }: Known): string | undefined {
  const called = node.childForFieldName('function')?.text ?? '';
  if (!/^(?:getattr|setattr|delattr|hasattr)$|(?:^|\.)attrgetter$/.test(called)) return undefined;
  const first = node.childForFieldName('arguments')?.namedChild(0)?.text ?? '';
  const rootName = /^\w+/.exec(first)?.[0] ?? '';
  const isForeign = names.has(rootName) && called !== 'hasattr';
  return isForeign || called.endsWith('attrgetter')
    ? `${called} of ${first.slice(0, 40)}`
    : undefined;
}

/** A value that equals everything passes every comparison. */
function equalityProblem(node: Node): string | undefined {
  const name = node.childForFieldName('name')?.text;
  if (name !== '__eq__' && name !== '__ne__') return undefined;
  const other =
    node.childForFieldName('parameters')?.namedChild(1)?.text.split(':')[0]?.trim() ?? '';
  const body = node.childForFieldName('body')?.text ?? '';
  const looksAtOther =
    other !== '' && new RegExp(`\\b${other.replaceAll(/\W/g, '')}\\b`).test(body);
  return looksAtOther ? undefined : `a ${name} that does not look at what it compares with`;
}

function isDocumentation(node: Node): boolean {
  return node.type === 'expression_statement' && node.namedChild(0)?.type === 'string';
}
