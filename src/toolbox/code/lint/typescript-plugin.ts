import type { ESLint, Rule, Scope } from 'eslint';
import { lookupTable } from '../../../kernel/index.ts';
import { readLintData } from './lint-data.ts';

/** A node as these rules look at it; ESLint's own type knows no TypeScript. */
interface TypescriptNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * Rules about TypeScript's own syntax, for ESLint. The usual plugin needs the compiler's JavaScript
 * API, which TypeScript 7 has not got; these need only the tree and its scopes.
 */
export function typescriptPlugin(): ESLint.Plugin {
  const rules = readLintData('typescript').rules.flatMap(
    ({ name, query, message = '' }): [string, Rule.RuleModule][] =>
      query === undefined ? [] : [[name, selectorRule(query, message)]],
  );
  return { meta: { name: 'typescript' }, rules: { ...Object.fromEntries(rules), ...codedRules } };
}

function selectorRule(selector: string, message: string): Rule.RuleModule {
  return {
    create: (context) => ({
      [selector]: (node: Rule.Node) =>
        context.report({
          node,
          message: message.replace('{at}', context.sourceCode.getText(node)),
        }),
    }),
  };
}

const codedRules: Readonly<Record<string, Rule.RuleModule>> = lookupTable({
  'no-duplicate-enum-values': report('TSEnumDeclaration', describeDuplicateEnumValue),
  'prefer-as-const': report('TSAsExpression', describeLiteralAssertion),
  'ban-ts-comment': { create: banComments },
  'no-unused-binding': { create: reportUnused },
});

/** A rule that looks at one node at a time and says what is wrong with it, if anything is. */
function report(
  type: string,
  describe: (node: TypescriptNode) => string | undefined,
): Rule.RuleModule {
  return {
    create: (context) => ({
      [type]: (node: Rule.Node) => {
        // TypeScript nodes reach the visitor under ESTree's type.
        const message = describe(node as unknown as TypescriptNode);
        if (message !== undefined) context.report({ node, message });
      },
    }),
  };
}

function describeDuplicateEnumValue(node: TypescriptNode): string | undefined {
  const members = asNode(node['body'])?.['members'] ?? node['members'];
  const seen = new Set<unknown>();
  for (const member of Array.isArray(members) ? members : []) {
    const initializer = asNode(asNode(member)?.['initializer']);
    if (initializer?.type !== 'Literal') continue;
    if (seen.has(initializer['value'])) {
      return `Two members of the enum have the value ${String(initializer['raw'])}`;
    }
    seen.add(initializer['value']);
  }
  return undefined;
}

function describeLiteralAssertion(node: TypescriptNode): string | undefined {
  const expression = asNode(node['expression']);
  const annotation = asNode(node['typeAnnotation']);
  if (expression?.type !== 'Literal' || annotation?.type !== 'TSLiteralType') return undefined;
  return asNode(annotation['literal'])?.['raw'] === expression['raw']
    ? 'Write as const'
    : undefined;
}

function banComments(context: Rule.RuleContext): Rule.RuleListener {
  return {
    Program: () => {
      for (const comment of context.sourceCode.getAllComments()) {
        const directive = /^[\s*/]*@ts-(ignore|nocheck)\b/.exec(comment.value)?.[1];
        if (directive === undefined || !comment.loc) continue;
        context.report({
          loc: comment.loc,
          message: `@ts-${directive} switches the type checker off; use @ts-expect-error with a reason`,
        });
      }
    },
  };
}

/** Imports and local declarations that nothing reads; parameters and declarations of types elsewhere are left alone. */
function reportUnused(context: Rule.RuleContext): Rule.RuleListener {
  if (context.filename.endsWith('.d.ts')) return {};
  return {
    'Program:exit': () => {
      for (const scope of context.sourceCode.scopeManager.scopes) {
        for (const variable of scope.variables) {
          if (isUnused(variable, scope)) reportVariable(context, variable);
        }
      }
    },
  };
}

const reportedDefinitions: ReadonlySet<string> = new Set(
  'ImportBinding Variable FunctionName ClassName'.split(' '),
);

function isUnused(variable: Scope.Variable, scope: Scope.Scope): boolean {
  const definition = variable.defs[0];
  if (!definition || !reportedDefinitions.has(definition.type)) return false;
  if (variable.name.startsWith('_') || variable.references.some((use) => use.isRead()))
    return false;
  // A script's globals are for other scripts; a class and a function expression name themselves.
  if (scope.type === 'global' || scope.type === 'function-expression-name') return false;
  if (scope.type === 'class' || isNamespace(scope)) return false;
  return !isExportedOrAmbient(definition.node as unknown as TypescriptNode);
}

function isNamespace(scope: Scope.Scope): boolean {
  return (scope.type as string) === 'tsModule';
}

function isExportedOrAmbient(node: TypescriptNode): boolean {
  if (node['declare'] === true || node.type === 'TSDeclareFunction') return true;
  const holder = asNode(node['parent']);
  const statement = holder?.type === 'VariableDeclaration' ? holder : node;
  if (statement['declare'] === true) return true;
  if (isRestSibling(node)) return true;
  return asNode(statement['parent'])?.type.startsWith('Export') ?? false;
}

/** `const { a, ...rest } = x` leaves `a` out of `rest` on purpose. */
function isRestSibling(node: TypescriptNode): boolean {
  const pattern = asNode(node['id']);
  const properties = pattern?.type === 'ObjectPattern' ? pattern['properties'] : [];
  return (
    Array.isArray(properties) && properties.some((part) => asNode(part)?.type === 'RestElement')
  );
}

function reportVariable(context: Rule.RuleContext, variable: Scope.Variable): void {
  const identifier = variable.identifiers[0];
  if (!identifier) return;
  context.report({ node: identifier, message: `'${variable.name}' is defined but never used` });
}

function asNode(value: unknown): TypescriptNode | undefined {
  return typeof value === 'object' && value !== null && 'type' in value
    ? (value as TypescriptNode)
    : undefined;
}
