import { calls, lastPart, type Matchers, type Subject } from './matcher.ts';
import {
  argumentAt,
  isAssembledText,
  isConstant,
  isLiteral,
  optionOf,
  propertyName,
  textOf,
} from './script-facts.ts';
import { nodeAt, nodesAt, stringAt, type TreeNode } from './tree-node.ts';

const timers = new Set(['setTimeout', 'setInterval', 'setImmediate', 'execScript']);
const shellCalls = new Set([
  'child_process.exec',
  'child_process.execSync',
  'shelljs.exec',
  'execa.command',
  'execa.execaCommand',
]);
const spawnCalls = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork']);
const queryCalls = new Set([
  'query',
  'execute',
  'raw',
  'all',
  'get',
  'run',
  'exec',
  'prepare',
  'each',
  'queryRaw',
  '$queryRawUnsafe',
  '$executeRawUnsafe',
  'whereRaw',
  'orderByRaw',
]);
const sqlStart =
  /^\s{0,100}(?:select\s|insert\s+into\s|update\s|delete\s+from\s|drop\s|alter\s|create\s|exec\s|merge\s|replace\s+into\s|with\s)/i;
const findCalls = new Set([
  'find',
  'findOne',
  'findOneAndUpdate',
  'updateOne',
  'deleteOne',
  'deleteMany',
  'updateMany',
  'countDocuments',
  'remove',
]);
const fileCalls = new Set([
  'readFile',
  'readFileSync',
  'writeFile',
  'writeFileSync',
  'createReadStream',
  'createWriteStream',
  'unlink',
  'unlinkSync',
  'appendFile',
  'appendFileSync',
  'rm',
  'rmSync',
  'readdir',
  'readdirSync',
  'open',
  'openSync',
  'stat',
  'statSync',
]);
const requestCalls =
  /^(?:fetch|axios(?:\.(?:get|post|put|delete|head|patch|request))?|https?\.(?:get|request)|got(?:\.(?:get|post|put|stream))?|request(?:\.(?:get|post|put))?|superagent\.(?:get|post)|needle(?:\.(?:get|post))?|undici\.(?:fetch|request)|node-fetch)$/;
const templateCalls =
  /^(?:ejs\.(?:render|compile)|pug\.(?:render|compile)|(?:handlebars|Handlebars)\.compile|nunjucks\.renderString|(?:lodash|_)\.template|mustache\.render|Mustache\.render|doT\.template)$/;
const vmCalls = /^vm\.(?:runInNewContext|runInThisContext|runInContext|compileFunction|Script)$/;
const unserializers =
  /(?:^|\.)(?:unserialize)$|^(?:node-serialize|serialize-to-js|funcster)\.|^v8\.deserialize$/;
const mergeCalls =
  /^(?:lodash|_)\.(?:merge|mergeWith|defaultsDeep|set|setWith)$|^(?:jQuery|\$)\.extend$|^(?:deepmerge|merge-deep|defaults-deep|deep-extend)$/;

const firstIsDynamic = ({ node }: Subject): boolean => {
  const first = argumentAt(node, 0);
  return first !== undefined && !isConstant(first);
};

const anyFromRequest = ({ node, facts }: Subject, from = 0): boolean =>
  nodesAt(node, 'arguments')
    .slice(from)
    .some((argument) => facts.isFromRequest(argument));

/** The first literal text inside an assembled one. */
function leadingText(node: TreeNode | undefined): string {
  let at = node;
  for (let depth = 0; depth < 50 && at; depth += 1) {
    if (at.type === 'TemplateLiteral') {
      const value = nodesAt(at, 'quasis')[0]?.['value'];
      return typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '';
    }
    if (at.type !== 'BinaryExpression') break;
    at = nodeAt(at, 'left');
  }
  return textOf(at) ?? '';
}

export const injectionMatchers: Matchers = {
  eval: {
    on: ['CallExpression'],
    match: (subject) =>
      /^(?:(?:window|globalThis|global|self)\.)?eval$/.test(subject.name) &&
      firstIsDynamic(subject),
  },
  'new-function': {
    on: calls,
    match: (subject) =>
      /^(?:(?:window|globalThis|global)\.)?Function$/.test(subject.name) &&
      nodesAt(subject.node, 'arguments').some((argument) => !isConstant(argument)),
  },
  'implied-eval': {
    on: ['CallExpression'],
    match: ({ node, name }) => {
      const first = argumentAt(node, 0);
      return timers.has(lastPart(name)) && (textOf(first) !== undefined || isAssembledText(first));
    },
  },
  'command-injection': {
    on: ['CallExpression'],
    match: (subject) => shellCalls.has(subject.name) && firstIsDynamic(subject),
  },
  'spawn-shell': {
    on: ['CallExpression'],
    match: ({ node, name }) => {
      if (!name.startsWith('child_process.') || !spawnCalls.has(lastPart(name))) return false;
      const args = nodesAt(node, 'arguments');
      const shell = optionOf(args.at(-1), 'shell');
      const usesShell = shell !== undefined && !isLiteral(shell, false);
      return usesShell && args.slice(0, -1).some((argument) => !isFixedList(argument));
    },
  },
  'sql-injection': {
    on: ['CallExpression'],
    match: ({ node, name }) => {
      const first = argumentAt(node, 0);
      if (!name.includes('.') || !queryCalls.has(lastPart(name)) || !isAssembledText(first))
        return false;
      return sqlStart.test(leadingText(first)) || lastPart(name).endsWith('Unsafe');
    },
  },
  'nosql-injection': {
    on: ['CallExpression', 'Property'],
    match: (subject) => {
      const { node, name, facts } = subject;
      if (node.type === 'Property') {
        return (
          propertyName(node) === '$where' &&
          !isConstant(nodeAt(node, 'value')) &&
          nodeAt(node, 'value')?.type !== 'FunctionExpression'
        );
      }
      const first = argumentAt(node, 0);
      if (!name.includes('.') || !findCalls.has(lastPart(name)) || !first) return false;
      if (first.type === 'MemberExpression') return facts.isFromRequest(first);
      return nodesAt(first, 'properties').some((property) => {
        const value = nodeAt(property, 'value');
        return (
          value?.type === 'MemberExpression' &&
          /\.(?:body|query)\./.test(`${facts.nameOf(value)}.`) &&
          facts.isFromRequest(value)
        );
      });
    },
  },
  'template-injection': {
    on: ['CallExpression'],
    match: ({ node, name, facts }) =>
      templateCalls.test(name) && facts.isFromRequest(argumentAt(node, 0)),
  },
  'path-traversal': {
    on: ['CallExpression'],
    match: (subject) => {
      const { node, name, facts } = subject;
      const last = lastPart(name);
      const isFile = /^fs(?:\/promises|-extra)?\./.test(name) && fileCalls.has(last);
      if (isFile) return facts.isFromRequest(argumentAt(node, 0));
      const isSend = /(?:^|\.)res(?:ponse)?\.(?:sendFile|download)$/.test(name);
      // With `root` Express itself refuses to leave the folder.
      return (
        isSend && facts.isFromRequest(argumentAt(node, 0)) && !optionOf(argumentAt(node, 1), 'root')
      );
    },
  },
  'regex-injection': {
    on: calls,
    match: ({ node, name, facts }) => name === 'RegExp' && facts.isFromRequest(argumentAt(node, 0)),
  },
  'prototype-pollution': {
    on: ['CallExpression', 'AssignmentExpression'],
    match: (subject) => {
      const { node, name, facts } = subject;
      if (node.type === 'CallExpression')
        return mergeCalls.test(name) && anyFromRequest(subject, 1);
      const left = nodeAt(node, 'left');
      if (left?.type !== 'MemberExpression') return false;
      const target = nodeAt(left, 'object');
      const isProto = target?.type === 'MemberExpression' && propertyName(target) === '__proto__';
      return (
        isProto || (left['computed'] === true && facts.isFromRequest(nodeAt(left, 'property')))
      );
    },
  },
  'vm-run': {
    on: calls,
    match: (subject) => vmCalls.test(subject.name) && firstIsDynamic(subject),
  },
  'unsafe-deserialization': {
    on: ['CallExpression'],
    match: (subject) =>
      unserializers.test(subject.name) &&
      (subject.name !== 'v8.deserialize' || anyFromRequest(subject)) &&
      !lastPart(subject.name).startsWith('serialize'),
  },
  'open-redirect': {
    on: ['CallExpression', 'AssignmentExpression'],
    match: (subject) => {
      const { node, name, facts } = subject;
      if (node.type === 'AssignmentExpression') {
        const target = facts.nameOf(nodeAt(node, 'left'));
        return (
          /(?:^|\.)location(?:\.href)?$/.test(target) && facts.isFromRequest(nodeAt(node, 'right'))
        );
      }
      const isRedirect =
        /(?:^|\.)(?:res|response|reply|ctx|context)\.redirect$|^(?:window\.)?location\.(?:assign|replace)$|^window\.open$/.test(
          name,
        );
      return isRedirect && anyFromRequest(subject);
    },
  },
  ssrf: {
    on: ['CallExpression'],
    match: ({ node, name, facts }) =>
      requestCalls.test(name) && isRequestAddress(argumentAt(node, 0), facts),
  },
  'dynamic-require': {
    on: ['CallExpression', 'ImportExpression'],
    match: ({ node, name, facts }) =>
      node.type === 'ImportExpression'
        ? facts.isFromRequest(nodeAt(node, 'source'))
        : name === 'require' && facts.isFromRequest(argumentAt(node, 0)),
  },
  'xml-entities': {
    on: ['CallExpression'],
    match: ({ node, name }) =>
      /(?:parseXml|parseXmlString|parseString|parse)$/i.test(name) &&
      nodesAt(node, 'arguments').some((argument) =>
        ['noent', 'dtdload', 'replaceEntities'].some((option) =>
          isLiteral(optionOf(argument, option), true),
        ),
      ),
  },
};

function isRequestAddress(node: TreeNode | undefined, facts: Subject['facts']): boolean {
  if (node?.type !== 'ObjectExpression') return facts.isFromRequest(node);
  return ['url', 'uri', 'host', 'hostname'].some((key) => facts.isFromRequest(optionOf(node, key)));
}

function isFixedList(node: TreeNode): boolean {
  if (isConstant(node)) return true;
  return (
    node.type === 'ArrayExpression' &&
    nodesAt(node, 'elements').every(
      (item) => isConstant(item) && stringAt(item, 'type') !== 'SpreadElement',
    )
  );
}
