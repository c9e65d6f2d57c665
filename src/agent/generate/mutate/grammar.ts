import type { ParsedLanguage } from '../syntax-parser.ts';
import { pythonChanger, scriptChanger } from './value-changers.ts';

/** What the node types of a language's grammar mean to who changes code. */
export interface Grammar {
  /** Functions that have a name of their own; their field `body` is what they do. */
  readonly functions: ReadonlySet<string>;
  /** Functions that are values: they count when a name is given to them. */
  readonly functionValues: ReadonlySet<string>;
  readonly owners: ReadonlySet<string>;
  /** Expressions and statements with an operator among their children. */
  readonly operations: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly strings: ReadonlySet<string>;
  /** What has a condition: statements with a field `condition`, and Python's expressions. */
  readonly conditions: ReadonlySet<string>;
  /** Branches without a condition of their own: handlers of errors, cases. */
  readonly cases: ReadonlySet<string>;
  readonly negate: (condition: string) => string;
  /** A change in here shows in nothing that a test could check. */
  readonly skipped: ReadonlySet<string>;
  /** What a function without a result returns, and what a removed statement becomes; null where that would not compile. */
  readonly nothing: string | null;
  readonly emptyStatement: string | null;
  /** A function that makes another value of one; null where values have types it would have to know. */
  readonly changer: string | null;
  /** Where functions name the type of their result: the table that says what else a value could be. */
  readonly results: 'goResult' | 'javaResult' | null;
  /** Values that are written down as such. */
  readonly literals: RegExp;
  /** Makes a function fail when it is called. */
  readonly fail: {
    readonly text: string;
    readonly replacesBody: boolean;
    /** Where a function is nothing but a value, and cannot have a statement. */
    readonly expression?: string;
    /** An error that no code throws of itself. */
    readonly otherError?: string;
  };
}

const none: ReadonlySet<string> = new Set();
const never = /^(?!)/;
const sabotage = 'this function was broken on purpose';

const scripts: Grammar = {
  functions: new Set([
    'function_declaration',
    'generator_function_declaration',
    'method_definition',
  ]),
  functionValues: new Set(['arrow_function', 'function_expression', 'generator_function']),
  owners: new Set(['class_declaration', 'class']),
  operations: new Set(['binary_expression', 'augmented_assignment_expression']),
  numbers: new Set(['number']),
  strings: new Set(['string_fragment']),
  conditions: new Set(['if_statement', 'while_statement', 'ternary_expression']),
  cases: new Set(['catch_clause', 'switch_case', 'switch_default']),
  negate: (condition) => `(!${condition})`,
  skipped: new Set(['throw_statement', 'type_annotation', 'type_arguments', 'type_parameters']),
  nothing: 'undefined',
  emptyStatement: ';',
  changer: scriptChanger,
  results: null,
  literals: /^(?:number|true|false|string)$/,
  fail: {
    text: `{ throw new Error('${sabotage}'); }`,
    replacesBody: true,
    otherError: "Object.assign(new Error('~'), { name: 'OtherError' })",
  },
};

export const grammars: Readonly<Record<ParsedLanguage, Grammar>> = {
  python: {
    functions: new Set(['function_definition']),
    functionValues: new Set(['lambda']),
    owners: new Set(['class_definition']),
    operations: new Set([
      'binary_operator',
      'comparison_operator',
      'boolean_operator',
      'augmented_assignment',
    ]),
    numbers: new Set(['integer', 'float']),
    strings: new Set(['string_content']),
    conditions: new Set([
      'if_statement',
      'elif_clause',
      'while_statement',
      'conditional_expression',
      'if_clause',
    ]),
    cases: new Set(['except_clause', 'case_clause']),
    negate: (condition) => `not (${condition})`,
    skipped: new Set(['raise_statement', 'assert_statement', 'type', 'decorator']),
    nothing: 'None',
    emptyStatement: 'pass',
    changer: pythonChanger,
    results: null,
    literals: /^(?:integer|float|true|false|string)$/,
    // Not an Exception: tests that expect one, or catch them all, must not take it for theirs.
    fail: {
      text: `raise BaseException('${sabotage}')`,
      replacesBody: true,
      otherError: "type('OtherError', (Exception,), {})('~')",
      expression: `(_ for _ in ()).throw(BaseException('${sabotage}'))`,
    },
  },
  javascript: scripts,
  typescript: scripts,
  go: {
    functions: new Set(['function_declaration', 'method_declaration']),
    functionValues: new Set(['func_literal']),
    owners: none,
    operations: new Set(['binary_expression', 'assignment_statement']),
    numbers: new Set(['int_literal', 'float_literal']),
    strings: new Set(['interpreted_string_literal_content']),
    conditions: new Set(['if_statement']),
    cases: new Set(['expression_case', 'default_case', 'type_case']),
    negate: (condition) => `!(${condition})`,
    skipped: new Set(['type_arguments']),
    nothing: null,
    emptyStatement: '',
    changer: null,
    results: 'goResult',
    literals: /^(?:interpreted_string_literal|int_literal|float_literal|true|false)$/,
    fail: { text: ` panic("${sabotage}");`, replacesBody: false },
  },
  rust: {
    functions: new Set(['function_item']),
    functionValues: none,
    owners: new Set(['impl_item', 'trait_item']),
    operations: new Set(['binary_expression', 'compound_assignment_expr']),
    numbers: new Set(['integer_literal', 'float_literal']),
    strings: new Set(['string_content']),
    conditions: new Set(['if_expression', 'while_expression']),
    cases: none,
    negate: (condition) => `!(${condition})`,
    skipped: new Set(['macro_invocation', 'type_arguments', 'attribute_item', 'let_condition']),
    nothing: null,
    emptyStatement: '',
    changer: null,
    results: null,
    literals: never,
    fail: { text: ` panic!("${sabotage}");`, replacesBody: false },
  },
  java: {
    functions: new Set(['method_declaration', 'constructor_declaration']),
    functionValues: none,
    owners: new Set(['class_declaration', 'record_declaration', 'enum_declaration']),
    operations: new Set(['binary_expression', 'assignment_expression']),
    numbers: new Set(['decimal_integer_literal', 'decimal_floating_point_literal']),
    strings: new Set(['string_fragment']),
    conditions: new Set(['if_statement', 'while_statement', 'ternary_expression']),
    cases: none,
    negate: (condition) => `(!${condition})`,
    skipped: new Set(['throw_statement', 'annotation', 'type_arguments']),
    nothing: null,
    emptyStatement: ';',
    changer: null,
    results: 'javaResult',
    literals: never,
    // With a condition: javac refuses statements that nothing can reach.
    fail: { text: ` if (true) throw new Error("${sabotage}");`, replacesBody: false },
  },
};
