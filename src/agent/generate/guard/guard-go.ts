import type { Node } from 'web-tree-sitter';
import { walkTree } from '../syntax-tree.ts';
import { type Guarded, nameSet, pattern, readRules, type Suspicion } from './suspicion.ts';

const { deniedImports, testImports, deniedOfOs, deniedStrings } = readRules('go', {
  deniedImports: nameSet,
  testImports: nameSet,
  deniedOfOs: nameSet,
  deniedStrings: pattern,
});

/** How Go code could influence its own test run. */
export function guardGo(root: Node, { role }: Guarded): Suspicion[] {
  const found: Suspicion[] = [];
  walkTree(root, { isMain: false }, (node, scope) => {
    const what = problemOf(node, role, scope.isMain);
    if (what !== undefined) found.push({ line: node.startPosition.row + 1, what });
    const isMain =
      node.type === 'function_declaration' && node.childForFieldName('name')?.text === 'main';
    return { isMain: scope.isMain || isMain };
  });
  return found;
}

function problemOf(node: Node, role: Guarded['role'], isMain: boolean): string | undefined {
  switch (node.type) {
    case 'import_spec':
      return importProblem(node, role);
    case 'selector_expression': {
      const member = node.childForFieldName('field')?.text ?? '';
      const isOs = node.childForFieldName('operand')?.text === 'os';
      return isOs && deniedOfOs.has(member) && !isMain ? `os.${member}` : undefined;
    }
    case 'comment':
      return /^\/\/(?:go:|\s{0,3}\+build)/.test(node.text) ? node.text.slice(0, 40) : undefined;
    case 'interpreted_string_literal':
    case 'raw_string_literal': {
      const match = deniedStrings.exec(node.text.slice(1, -1));
      return match ? `the text ${JSON.stringify(match[0])}` : undefined;
    }
    case 'function_declaration': {
      const name = node.childForFieldName('name')?.text;
      return name === 'TestMain' || name === 'init' ? `func ${name}` : undefined;
    }
    case 'assignment_statement':
      return changeProblem(node);
    case 'call_expression': {
      const called = node.childForFieldName('function')?.text ?? '';
      if (called === 'println' || called === 'print') return called;
      return role === 'code' && !isMain ? lookProblem(called, node) : undefined;
    }
    default:
      return undefined;
  }
}

/** A program that reads its own folder or its caller sees its tests. */
function lookProblem(called: string, call: Node): string | undefined {
  const given = call.childForFieldName('arguments')?.namedChildren ?? [];
  // `Output(depth, message)` of a log records the caller.
  if (called.endsWith('.Output') && given.length === 2) return called.slice(-60);
  const isLook =
    /^(?:os\.(?:ReadDir|Getwd|Open|Stat|DirFS)|filepath\.(?:Glob|Walk|WalkDir|Abs))$/.test(called);
  const [first] = given;
  const isHere = !first || /^["`](?:\.|\*|\.\/.*|\*.*)?["`]$/.test(first.text);
  return isLook && isHere ? called : undefined;
}

function importProblem(node: Node, role: Guarded['role']): string | undefined {
  const path = (node.childForFieldName('path')?.text ?? '').replaceAll(/["`]/g, '');
  // Under another name the checks below would not recognise it.
  const name = node.childForFieldName('name')?.text;
  if (path === 'os' && name !== undefined) return `os by the name ${name}`;
  const isDenied = deniedImports.has(path) || (role === 'code' && testImports.has(path));
  return isDenied ? path : undefined;
}

const packageNames = /^(?:os|fmt|log|io|testing|time|rand|http|errors|strings|math|sort)$/;

function changeProblem(node: Node): string | undefined {
  const target = node.childForFieldName('left')?.text ?? '';
  const [first = '', member] = target.split('.');
  return member !== undefined && packageNames.test(first)
    ? `a change of ${target.slice(0, 60)}`
    : undefined;
}
