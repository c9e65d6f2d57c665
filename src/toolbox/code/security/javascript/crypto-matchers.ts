import { isLiteralSecret } from '../literal-secret.ts';
import { calls, lastPart, type Matchers, type Subject } from './matcher.ts';
import { argumentAt, isLiteral, optionOf, propertyName, textOf, unwrap } from './script-facts.ts';
import { hasNestedRepetition } from './unsafe-regex.ts';
import { nodeAt, nodesAt, stringAt, type TreeNode } from './tree-node.ts';

const weakHashes = /^(?:md[245]|sha-?1|ripemd(?:128)?|rsa-(?:md5|sha1))$/i;
const weakCiphers =
  /^(?:des|des3|3des|rc[24]|bf|blowfish|cast|idea|seed)(?:-|$)|-ecb$|^aes-?\d{3}-?ecb/i;
const oldProtocols =
  /^(?:SSLv2|SSLv3|SSLv23|TLSv1|TLSv1_1)(?:_(?:client_|server_)?method)?$|^TLSv1(?:\.1)?$/;
const randomUse =
  /token|secret|passw|session|nonce|salt|otp|csrf|api_?key|(?:^|_)key$|[a-z]Key$|verif|auth|uuid|guid|captcha|reset/i;
const minRsaBits = 2048;
const minIterations = 10_000;

function numberOf(node: TreeNode | undefined): number | undefined {
  const inner = unwrap(node);
  return inner?.type === 'Literal' && typeof inner['value'] === 'number'
    ? inner['value']
    : undefined;
}

/** What a value is given to: a variable, a property, an assignment or a parameter's default. */
function receiverOf({ node }: Pick<Subject, 'node'>): {
  name: string;
  value: TreeNode | undefined;
} {
  switch (node.type) {
    case 'VariableDeclarator':
      return { name: stringAt(nodeAt(node, 'id'), 'name'), value: nodeAt(node, 'init') };
    case 'AssignmentExpression': {
      const left = nodeAt(node, 'left');
      const name = left?.type === 'MemberExpression' ? propertyName(left) : stringAt(left, 'name');
      return { name, value: nodeAt(node, 'right') };
    }
    case 'AssignmentPattern':
      return { name: stringAt(nodeAt(node, 'left'), 'name'), value: nodeAt(node, 'right') };
    default:
      return { name: propertyName(node), value: nodeAt(node, 'value') };
  }
}

const receivers = [
  'VariableDeclarator',
  'AssignmentExpression',
  'AssignmentPattern',
  'Property',
  'PropertyDefinition',
];

function usesMathRandom(node: TreeNode | undefined, facts: Subject['facts']): boolean {
  if (!node || node.end - node.start > 500) return false;
  return (
    /\bMath\.random\(\)/.test(facts.text.slice(node.start, node.end)) &&
    !/function|=>/.test(facts.text.slice(node.start, node.end))
  );
}

export const cryptoMatchers: Matchers = {
  'weak-hash': {
    on: calls,
    match: ({ node, name }) => {
      if (/^(?:md5|sha1|js-md5|js-sha1|blueimp-md5)$/.test(name)) return true;
      if (/^(?:CryptoJS|crypto-js)\.(?:MD5|SHA1|HmacMD5|HmacSHA1)$/.test(name)) return true;
      const isHash = ['createHash', 'createHmac', 'createSign', 'createVerify'].includes(
        lastPart(name),
      );
      return isHash && weakHashes.test(textOf(argumentAt(node, 0)) ?? '');
    },
  },
  'weak-cipher': {
    on: calls,
    match: ({ node, name }) => {
      if (/^(?:CryptoJS|crypto-js)\.(?:DES|TripleDES|RC4|Rabbit)\./.test(name)) return true;
      const isCipher = /^create(?:C|Dec)ipher(?:iv)?$/.test(lastPart(name));
      return isCipher && weakCiphers.test(textOf(argumentAt(node, 0)) ?? '');
    },
  },
  'create-cipher': {
    on: calls,
    match: ({ name }) => /^create(?:C|Dec)ipher$/.test(lastPart(name)),
  },
  'fixed-iv': {
    on: calls,
    match: ({ node, name, facts }) => {
      if (lastPart(name) !== 'createCipheriv') return false;
      const iv = unwrap(argumentAt(node, 2));
      if (textOf(iv) !== undefined) return true;
      const creator = iv?.type === 'CallExpression' ? facts.nameOf(nodeAt(iv, 'callee')) : '';
      if (creator === 'Buffer.alloc') return true;
      return (
        creator === 'Buffer.from' && iv !== undefined && textOf(argumentAt(iv, 0)) !== undefined
      );
    },
  },
  'short-key': {
    on: calls,
    match: ({ node, name }) => {
      if (!/^generateKeyPair(?:Sync)?$/.test(lastPart(name))) return false;
      const bits = numberOf(optionOf(argumentAt(node, 1), 'modulusLength'));
      return bits !== undefined && bits < minRsaBits;
    },
  },
  'few-iterations': {
    on: calls,
    match: ({ node, name }) => {
      if (!/^pbkdf2(?:Sync)?$/.test(lastPart(name))) return false;
      const iterations = numberOf(argumentAt(node, 2));
      return iterations !== undefined && iterations < minIterations;
    },
  },
  'insecure-random': {
    on: [...receivers, 'FunctionDeclaration'],
    match: ({ node, facts }) => {
      if (node.type === 'FunctionDeclaration') {
        const body = facts.text.slice(node.start, Math.min(node.end, node.start + 2_000));
        return (
          randomUse.test(stringAt(nodeAt(node, 'id'), 'name')) &&
          /\breturn\b[^\n]{0,200}Math\.random\(\)/.test(body)
        );
      }
      const { name, value } = receiverOf({ node });
      return randomUse.test(name) && usesMathRandom(value, facts);
    },
  },
  'tls-verification-off': {
    on: ['Property', 'AssignmentExpression'],
    match: ({ node }) => {
      const { name, value } = receiverOf({ node });
      if (['rejectUnauthorized', 'strictSSL', 'checkServerIdentity'].includes(name))
        return isLiteral(value, false);
      return (
        name === 'NODE_TLS_REJECT_UNAUTHORIZED' && (isLiteral(value, '0') || isLiteral(value, 0))
      );
    },
  },
  'old-tls': {
    on: ['Property'],
    match: ({ node }) =>
      ['secureProtocol', 'minVersion', 'maxVersion'].includes(propertyName(node)) &&
      oldProtocols.test(textOf(nodeAt(node, 'value')) ?? ''),
  },
  'hard-coded-secret': {
    on: receivers,
    match: ({ node }) => {
      const { name, value } = receiverOf({ node });
      const text = textOf(value);
      return text !== undefined && isLiteralSecret(name, text);
    },
  },
  'jwt-none': {
    on: ['CallExpression'],
    match: ({ node, name }) => {
      if (
        !/(?:jwt|jsonwebtoken|jose)[\w.]*\.(?:verify|sign|jwtVerify)$|^jsonwebtoken\./i.test(name)
      )
        return false;
      const options = argumentAt(node, 2);
      const listed = unwrap(optionOf(options, 'algorithms'));
      const names = [optionOf(options, 'algorithm'), ...nodesAt(listed, 'elements')];
      return names.some((algorithm) => textOf(algorithm)?.toLowerCase() === 'none');
    },
  },
  'jwt-unverified': {
    on: ['CallExpression'],
    match: ({ name }) => /^(?:jsonwebtoken|jwt)\.decode$|^jwt-decode(?:\.jwtDecode)?$/.test(name),
  },
  'unsafe-regex': {
    on: ['Literal', 'NewExpression'],
    match: ({ node, name }) => {
      const regex = node['regex'];
      const source =
        typeof regex === 'object' && regex !== null && 'pattern' in regex
          ? String(regex.pattern)
          : name === 'RegExp'
            ? (textOf(argumentAt(node, 0)) ?? '')
            : '';
      return hasNestedRepetition(source);
    },
  },
  'unsafe-buffer': {
    on: calls,
    match: ({ node, name }) =>
      node.type === 'NewExpression'
        ? name === 'Buffer'
        : /^Buffer\.allocUnsafe(?:Slow)?$/.test(name),
  },
  'permissive-mode': {
    on: ['CallExpression'],
    match: ({ node, name }) => {
      const isChmod = /(?:^|\.)[fl]?chmod(?:Sync)?$/.test(name);
      const isCreation = /(?:^|\.)(?:mkdir|writeFile|open)(?:Sync)?$/.test(name);
      if (!isChmod && !isCreation) return false;
      const args = nodesAt(node, 'arguments');
      const modes = isChmod ? [args[1]] : args.map((argument) => optionOf(argument, 'mode'));
      return modes.some((mode) => ((numberOf(mode) ?? 0) & writableByAll) !== 0);
    },
  },
};

const writableByAll = 0o002;
