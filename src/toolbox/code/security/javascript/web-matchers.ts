import { calls, lastPart, type Matchers } from './matcher.ts';
import {
  argumentAt,
  isConstant,
  isLiteral,
  optionOf,
  propertyName,
  textOf,
  unwrap,
} from './script-facts.ts';
import { nodeAt, nodesAt, stringAt, type TreeNode } from './tree-node.ts';

const htmlProperties = new Set(['innerHTML', 'outerHTML', 'srcdoc']);

/** HTML that somebody visibly cleaned. */
const sanitizer = /sanitize|escape|purify|encode/i;

function isRawHtml(node: TreeNode | undefined, text: string): boolean {
  return (
    node !== undefined &&
    !isConstant(node) &&
    !sanitizer.test(text.slice(node.start, Math.min(node.end, node.start + 2_000)))
  );
}

/** An object literal without spread: what it does not name is not set. */
function isComplete(object: TreeNode | undefined): boolean {
  const inner = unwrap(object);
  return (
    inner?.type === 'ObjectExpression' &&
    nodesAt(inner, 'properties').every((property) => property.type === 'Property')
  );
}

export const webMatchers: Matchers = {
  'inner-html': {
    on: ['AssignmentExpression', 'CallExpression'],
    match: ({ node, name, facts }) => {
      if (node.type === 'CallExpression') {
        return (
          lastPart(name) === 'insertAdjacentHTML' && isRawHtml(argumentAt(node, 1), facts.text)
        );
      }
      const left = nodeAt(node, 'left');
      const isHtml = left?.type === 'MemberExpression' && htmlProperties.has(propertyName(left));
      return isHtml && isRawHtml(nodeAt(node, 'right'), facts.text);
    },
  },
  'document-write': {
    on: ['CallExpression'],
    match: ({ node, name, facts }) =>
      /^(?:window\.)?document\.write(?:ln)?$/.test(name) &&
      nodesAt(node, 'arguments').some((argument) => isRawHtml(argument, facts.text)),
  },
  'dangerous-html': {
    on: ['JSXAttribute', 'Property'],
    match: ({ node, facts }) => {
      const key =
        node.type === 'Property' ? propertyName(node) : stringAt(nodeAt(node, 'name'), 'name');
      if (key !== 'dangerouslySetInnerHTML') return false;
      const value = nodeAt(node, 'value');
      const object = value?.type === 'JSXExpressionContainer' ? nodeAt(value, 'expression') : value;
      const html = optionOf(object, '__html');
      return html
        ? isRawHtml(html, facts.text)
        : object !== undefined && isRawHtml(object, facts.text);
    },
  },
  'javascript-url': {
    on: ['JSXAttribute', 'AssignmentExpression'],
    match: ({ node }) => {
      const value = node.type === 'JSXAttribute' ? nodeAt(node, 'value') : nodeAt(node, 'right');
      const inner = value?.type === 'JSXExpressionContainer' ? nodeAt(value, 'expression') : value;
      const text = (textOf(inner) ?? '').trim();
      return /^javascript:/i.test(text) && !/^javascript:(?:;|void\(?\s?0\)?;?)?$/i.test(text);
    },
  },
  'response-xss': {
    on: ['CallExpression'],
    match: ({ node, name, facts }) => {
      if (!/(?:^|\.)(?:res|response)\.(?:send|write|end)$/.test(name)) return false;
      const first = argumentAt(node, 0);
      return (
        first?.type !== 'ObjectExpression' &&
        facts.isFromRequest(first) &&
        isRawHtml(first, facts.text)
      );
    },
  },
  'post-message-any': {
    on: ['CallExpression'],
    match: ({ node, name }) =>
      lastPart(name) === 'postMessage' && textOf(argumentAt(node, 1)) === '*',
  },
  'message-origin': {
    on: ['CallExpression'],
    match: ({ node, name, facts }) => {
      if (
        !/^(?:(?:window|self|globalThis)\.)?addEventListener$/.test(name) ||
        textOf(argumentAt(node, 0)) !== 'message'
      )
        return false;
      const handler = argumentAt(node, 1);
      if (handler?.type !== 'ArrowFunctionExpression' && handler?.type !== 'FunctionExpression')
        return false;
      return (
        nodesAt(handler, 'params').length > 0 &&
        !/\borigin\b|\bsource\b/.test(facts.text.slice(handler.start, handler.end))
      );
    },
  },
  'cookie-flags': {
    on: ['CallExpression', 'Property'],
    match: ({ node, name }) => {
      if (node.type === 'Property') {
        const value = nodeAt(node, 'value');
        return (
          propertyName(node) === 'cookie' &&
          ['secure', 'httpOnly'].some((flag) => isLiteral(optionOf(value, flag), false))
        );
      }
      if (!/(?:^|\.)(?:res|response|reply)\.(?:cookie|setCookie)$/.test(name)) return false;
      const options = argumentAt(node, 2);
      if (!options) return true;
      const flags = ['secure', 'httpOnly'].map((flag) => optionOf(options, flag));
      return (
        isComplete(options) && flags.some((flag) => flag === undefined || isLiteral(flag, false))
      );
    },
  },
  'cors-any': {
    on: ['CallExpression', 'Property'],
    match: ({ node, name }) => {
      if (node.type === 'Property') {
        return (
          propertyName(node).toLowerCase() === 'access-control-allow-origin' &&
          textOf(nodeAt(node, 'value')) === '*'
        );
      }
      if (name === 'cors') {
        const origin = optionOf(argumentAt(node, 0), 'origin');
        return (
          textOf(origin) === '*' ||
          (isLiteral(origin, true) && isLiteral(optionOf(argumentAt(node, 0), 'credentials'), true))
        );
      }
      const isHeader = ['setHeader', 'header', 'set', 'append'].includes(lastPart(name));
      return (
        isHeader &&
        textOf(argumentAt(node, 0))?.toLowerCase() === 'access-control-allow-origin' &&
        textOf(argumentAt(node, 1)) === '*'
      );
    },
  },
  'csp-off': {
    on: ['Property'],
    match: ({ node }) =>
      propertyName(node) === 'contentSecurityPolicy' && isLiteral(nodeAt(node, 'value'), false),
  },
  'electron-unsafe': {
    on: ['Property'],
    match: ({ node }) => {
      const value = nodeAt(node, 'value');
      const key = propertyName(node);
      if (
        ['nodeIntegration', 'allowRunningInsecureContent', 'nodeIntegrationInWorker'].includes(key)
      )
        return isLiteral(value, true);
      return ['contextIsolation', 'webSecurity'].includes(key) && isLiteral(value, false);
    },
  },
  'bind-all': {
    on: ['CallExpression', 'Property'],
    match: ({ node, name }) => {
      if (node.type === 'Property')
        return (
          ['host', 'hostname'].includes(propertyName(node)) &&
          textOf(nodeAt(node, 'value')) === '0.0.0.0'
        );
      return (
        lastPart(name) === 'listen' &&
        nodesAt(node, 'arguments').some((argument) => textOf(argument) === '0.0.0.0')
      );
    },
  },
  'stored-token': {
    on: ['CallExpression'],
    match: ({ node, name }) =>
      /(?:^|\.)(?:local|session)Storage\.setItem$/.test(name) &&
      /token|jwt|secret|password|api_?key/i.test(textOf(argumentAt(node, 0)) ?? '') &&
      !isConstant(argumentAt(node, 1)),
  },
  'debug-inspector': {
    on: calls,
    match: ({ name }) => name === 'inspector.open',
  },
};
