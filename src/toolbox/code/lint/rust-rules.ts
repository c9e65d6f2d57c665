import type { Node } from 'web-tree-sitter';
import type { FileFacts, TreeProblem, TreeRule } from './lint-tree.ts';
import { rustNamingRules } from './rust-naming-rules.ts';
import { ancestorOf, fieldText, removeNode, statementsOf } from './tree-queries.ts';

const loops = ['for_expression', 'while_expression', 'loop_expression'];

const correctnessRules: readonly TreeRule[] = [
  methodCall('unwrap', 'minor', 'unwrap() panics on the bad case; handle it or use ?'),
  methodCall(
    'expect',
    'info',
    'expect() panics on the bad case; return the error where a caller could act',
  ),
  macroCall(/^(?:todo|unimplemented)$/, {
    name: 'unfinished-code',
    severity: 'major',
    message: 'The code is not finished and panics here',
  }),
  macroCall(/^panic$/, {
    name: 'panic',
    severity: 'minor',
    message: 'A library should return a Result instead of panicking',
  }),
  macroCall(/^dbg$/, {
    name: 'dbg-macro',
    severity: 'minor',
    message: 'dbg! is for debugging; remove it',
  }),
  {
    name: 'unsafe-without-comment',
    severity: 'minor',
    area: 'documentation',
    on: ['unsafe_block'],
    check: (node, facts) => {
      const before = facts.text.slice(
        Math.max(0, node.startIndex - safetyReach),
        node.startIndex + 1,
      );
      const inside = node.text.slice(0, safetyReach);
      return /safety/i.test(before) || /safety/i.test(inside)
        ? undefined
        : { message: 'Say in a comment "SAFETY:" why this unsafe block is sound' };
    },
  },
  {
    name: 'mutable-static',
    severity: 'major',
    area: 'correctness',
    on: ['static_item'],
    check: (node) =>
      node.namedChildren.some(({ type }) => type === 'mutable_specifier')
        ? {
            message:
              'static mut is a data race waiting to happen; use an atomic, a Mutex or OnceLock',
          }
        : undefined,
  },
  {
    name: 'transmute',
    severity: 'major',
    area: 'correctness',
    on: ['call_expression'],
    check: (node) =>
      /(?:^|::)transmute(?:::<|$)/.test(fieldText(node, 'function') ?? '')
        ? { message: 'transmute reinterprets bits unchecked; look for a safe conversion' }
        : undefined,
  },
  {
    name: 'mem-forget',
    severity: 'minor',
    area: 'correctness',
    on: ['call_expression'],
    check: (node) =>
      /(?:^|::)mem::forget$/.test(fieldText(node, 'function') ?? '')
        ? { message: 'mem::forget leaks what it is given; use ManuallyDrop and say why' }
        : undefined,
  },
  {
    name: 'option-comparison',
    severity: 'minor',
    area: 'style',
    on: ['binary_expression'],
    check: (node) =>
      isEquality(node) && ['left', 'right'].some((side) => fieldText(node, side) === 'None')
        ? { message: 'Use is_none() or is_some() instead of comparing with None' }
        : undefined,
  },
  {
    name: 'unused-variable',
    severity: 'minor',
    area: 'maintainability',
    on: ['let_declaration'],
    check: (node, facts) => {
      const pattern = node.childForFieldName('pattern');
      return pattern?.type === 'identifier' &&
        !pattern.text.startsWith('_') &&
        facts.countWord(pattern.text) === 1
        ? { message: `The variable ${pattern.text} is never used`, at: pattern }
        : undefined;
    },
  },
];

const styleRules: readonly TreeRule[] = [
  {
    name: 'wildcard-import',
    severity: 'minor',
    area: 'style',
    on: ['use_wildcard'],
    check: (node) =>
      /(?:^|::)(?:prelude|super|self)(?:::|$)/.test(node.text.replace(/::\*$/, '')) ||
      isInTest(node)
        ? undefined
        : { message: 'Import the names you use instead of *' },
  },
  {
    name: 'needless-return',
    severity: 'info',
    area: 'style',
    on: ['return_expression'],
    check: checkNeedlessReturn,
  },
  {
    name: 'bool-comparison',
    severity: 'info',
    area: 'style',
    on: ['binary_expression'],
    check: (node) =>
      isEquality(node) &&
      ['left', 'right'].some((side) => node.childForFieldName(side)?.type === 'boolean_literal')
        ? { message: 'Compare nothing with true or false: use the value or its negation' }
        : undefined,
  },
  {
    name: 'len-zero',
    severity: 'info',
    area: 'style',
    on: ['binary_expression'],
    check: (node) =>
      fieldText(node, 'left')?.endsWith('.len()') &&
      /^(?:==|!=|>) ?0$/.test(
        `${fieldText(node, 'operator') ?? ''}${fieldText(node, 'right') ?? ''}`,
      )
        ? { message: 'Use is_empty() instead of comparing the length with zero' }
        : undefined,
  },
  {
    name: 'redundant-static-lifetime',
    severity: 'info',
    area: 'style',
    on: ['const_item', 'static_item'],
    check: (node) => {
      // In an impl with lifetimes, what is left out means one of those.
      if (!isModuleItem(node)) return undefined;
      const type = node.childForFieldName('type');
      const match = type?.type === 'reference_type' ? /^&\s*('static\s+)/.exec(type.text) : null;
      if (!type || !match?.[1]) return undefined;
      const start = type.startIndex + match[0].length - match[1].length;
      const edit = { start, end: start + match[1].length, text: '' };
      return {
        message: "Constants and statics have the lifetime 'static anyway",
        fix: "Remove 'static",
        edits: [edit],
        at: type,
      };
    },
  },
  {
    name: 'redundant-field-name',
    severity: 'info',
    area: 'style',
    on: ['field_initializer'],
    check: (node) => {
      const name = fieldText(node, 'field');
      const value = node.childForFieldName('value');
      return name !== undefined &&
        value?.type === 'identifier' &&
        value.text === name &&
        node.text.includes(':')
        ? {
            message: `The field and its value have the same name: write ${name}`,
            fix: `Write ${name}`,
            edits: [{ start: node.startIndex, end: node.endIndex, text: name }],
          }
        : undefined;
    },
  },
  {
    name: 'while-true',
    severity: 'info',
    area: 'style',
    on: ['while_expression'],
    check: (node) =>
      fieldText(node, 'condition') === 'true'
        ? { message: 'Write loop instead of while true' }
        : undefined,
  },
  {
    name: 'single-match',
    severity: 'info',
    area: 'style',
    on: ['match_block'],
    check: (node) => {
      const [, second, third] = statementsOf(node);
      return second && !third && /^_\s*=>\s*(?:\(\)|\{\s*\}),?$/.test(second.text)
        ? { message: 'A match with one real arm reads better as if let' }
        : undefined;
    },
  },
  {
    name: 'redundant-semicolon',
    severity: 'info',
    area: 'style',
    on: ['empty_statement'],
    check: (node, facts) =>
      node.text === ';' && node.previousSibling?.text.endsWith(';')
        ? {
            message: 'The semicolon ends nothing',
            fix: 'Remove it',
            edits: [removeNode(node, facts.text)],
          }
        : undefined,
  },
  {
    name: 'clone-in-loop',
    severity: 'info',
    area: 'performance',
    on: ['call_expression'],
    check: (node) =>
      calledMethod(node) === 'clone' &&
      ancestorOf(node, loops, ['function_item', 'closure_expression']) &&
      !isInTest(node)
        ? { message: 'clone() in a loop copies at every turn; borrow if you can' }
        : undefined,
  },
  {
    name: 'borrowed-container',
    severity: 'minor',
    area: 'performance',
    on: ['parameter'],
    check: (node) => {
      const type = fieldText(node, 'type') ?? '';
      const better = /^&\s*Vec</.test(type)
        ? '&[T]'
        : /^&\s*String$/.test(type)
          ? '&str'
          : undefined;
      return better
        ? { message: `Take ${better} instead of ${type}: it accepts more and costs less` }
        : undefined;
    },
  },
  {
    name: 'boxed-vector',
    severity: 'minor',
    area: 'performance',
    on: ['generic_type'],
    check: (node) =>
      /^Box<(?:Vec|String)\b/.test(node.text)
        ? { message: 'The contents are on the heap already; the Box adds a second pointer' }
        : undefined,
  },
  {
    name: 'as-conversion',
    severity: 'info',
    area: 'correctness',
    optIn: true,
    on: ['type_cast_expression'],
    check: (node) =>
      /^[iuf](?:8|16|32|64|128|size)$/.test(fieldText(node, 'type') ?? '')
        ? { message: 'as cuts silently; use from or try_from' }
        : undefined,
  },
  {
    name: 'magic-number',
    severity: 'info',
    area: 'maintainability',
    optIn: true,
    on: ['integer_literal', 'float_literal'],
    check: (node) =>
      /^(?:[0-2]|10|100)(?:\.0)?(?:_?[iuf]\w+)?$/.test(node.text) ||
      ancestorOf(node, ['const_item', 'static_item', 'attribute_item', 'enum_variant']) ||
      isInTest(node)
        ? undefined
        : { message: `Name the number ${node.text}` },
  },
  {
    name: 'print-in-library',
    severity: 'info',
    area: 'maintainability',
    optIn: true,
    on: ['macro_invocation'],
    check: (node, facts) =>
      /^e?println?$/.test(fieldText(node, 'macro') ?? '') && !/\bfn\s+main\s*\(/.test(facts.text)
        ? { message: 'A library should not print; return the text or log it' }
        : undefined,
  },
];

/** The Rust rules of ours: the part of clippy that needs no types. */
export const rustRules: readonly TreeRule[] = [
  ...correctnessRules,
  ...styleRules,
  ...rustNamingRules,
];

function isModuleItem({ parent }: Node): boolean {
  return parent?.type === 'source_file' || parent?.parent?.type === 'mod_item';
}

/** A SAFETY comment is looked for this many characters around the block. */
const safetyReach = 240;

function methodCall(name: string, severity: 'minor' | 'info', message: string): TreeRule {
  return {
    name,
    severity,
    area: 'correctness',
    on: ['call_expression'],
    check: (node, facts) =>
      calledMethod(node) === name && !isTestCode(node, facts) ? { message } : undefined,
  };
}

function macroCall(
  pattern: RegExp,
  rule: { readonly name: string; readonly severity: 'major' | 'minor'; readonly message: string },
): TreeRule {
  return {
    name: rule.name,
    severity: rule.severity,
    area: 'correctness',
    on: ['macro_invocation'],
    check: (node, facts) =>
      pattern.test(fieldText(node, 'macro') ?? '') && !isTestCode(node, facts)
        ? { message: rule.message }
        : undefined,
  };
}

function calledMethod(call: Node): string | undefined {
  const called = call.childForFieldName('function');
  return called?.type === 'field_expression' ? fieldText(called, 'field') : undefined;
}

function isEquality(node: Node): boolean {
  return /^[!=]=$/.test(fieldText(node, 'operator') ?? '');
}

function isTestCode(node: Node, facts: FileFacts): boolean {
  return facts.isTest || isInTest(node);
}

/** Inside `#[cfg(test)] mod …` or below `#[test] fn …`. */
function isInTest(node: Node): boolean {
  const holders = ['function_item', 'mod_item'];
  let holder = ancestorOf(node, holders);
  for (let depth = 0; holder && depth < maxModuleDepth; depth += 1) {
    let before = holder.previousNamedSibling;
    while (before?.type === 'attribute_item' || before?.isExtra) {
      if (/\btest\b/.test(before.text) && before.type === 'attribute_item') return true;
      before = before.previousNamedSibling;
    }
    holder = ancestorOf(holder, holders);
  }
  return false;
}

const maxModuleDepth = 20;

function checkNeedlessReturn(node: Node, facts: FileFacts): TreeProblem | undefined {
  const statement = node.parent?.type === 'expression_statement' ? node.parent : node;
  const block = statement.parent;
  if (block?.parent?.type !== 'function_item' || statementsOf(block).at(-1)?.id !== statement.id) {
    return undefined;
  }
  const isBare = node.text === 'return';
  return {
    message: isBare
      ? 'The return at the end of the function does nothing'
      : 'The last expression of a function is its result: leave out return',
    fix: isBare ? 'Remove it' : 'Write the expression without return and semicolon',
    // Without `return` temporaries live longer, which can change when they are dropped.
    ...(isBare && statement !== node ? { edits: [removeNode(statement, facts.text)] } : {}),
  };
}
