import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import type { SourceFile } from '../../source-files.ts';
import { isLiteralSecret } from '../literal-secret.ts';
import type { FileScan } from '../scan-file-security.ts';
import { scanTree, sourceOf, type TreeMatchers } from '../tree-rule.ts';
import { partsOf } from '../walk-syntax-tree.ts';
import { javaRules } from './java-rules.ts';

export async function scanJava(file: SourceFile, context: CodeContext): Promise<FileScan> {
  return scanTree(file, context, { grammar: 'java', rules: javaRules, matchers: javaMatchers });
}

const nameOf = (call: Node): string => call.childForFieldName('name')?.text ?? '';
const objectOf = (call: Node): string => sourceOf(call.childForFieldName('object'));
const typeOf = (creation: Node): string => sourceOf(creation.childForFieldName('type'));
const argumentsOf = (call: Node): readonly Node[] => partsOf(call.childForFieldName('arguments'));
const textOf = (node: Node | undefined): string | undefined =>
  node?.type === 'string_literal' ? node.text.slice(1, -1) : undefined;

/** Made of literals, perhaps joined by `+`, or a constant by its spelling. */
function isConstant(node: Node): boolean {
  if (/^[A-Z][A-Z0-9_]*$/.test(node.text)) return true;
  if (node.type !== 'binary_expression') return /literal$|^true$|^false$/.test(node.type);
  return node.descendantsOfType(dynamicTypes).every((part) => /^[A-Z][A-Z0-9_]*$/.test(part.text));
}

const dynamicTypes = ['identifier', 'method_invocation', 'field_access', 'array_access'];

function isAssembled(node: Node | undefined): boolean {
  if (!node) return false;
  if (node.type === 'binary_expression') return !isConstant(node);
  return node.type === 'method_invocation' && /^(?:format|concat|formatted)$/.test(nameOf(node));
}

const requestData =
  /\b(?:req|request|httpRequest)\.get(?:Parameter|Header|QueryString|PathInfo|Cookies|RequestURI)/;
const isFromRequest = (node: Node): boolean => requestData.test(sourceOf(node));
const sqlCalls =
  /^(?:executeQuery|executeUpdate|execute|executeLargeUpdate|addBatch|prepareStatement|prepareCall|createQuery|createNativeQuery|queryForObject|queryForList|query|update|batchUpdate)$/;
const sqlWords =
  /(?:select\s|insert\s+into|update\s|delete\s+from|drop\s|alter\s|create\s|call\s|from\s)/i;
const xmlFactories =
  /^(?:DocumentBuilderFactory|SAXParserFactory|XMLInputFactory|TransformerFactory|SchemaFactory|XPathFactory)$/;
const hardened =
  /disallow-doctype-decl|FEATURE_SECURE_PROCESSING|ACCESS_EXTERNAL_DTD|SUPPORT_DTD|external-general-entities|IS_SUPPORTING_EXTERNAL_ENTITIES/;

/** A method whose body does nothing, or only returns what is given. */
function isEmptyBody(method: Node, result: RegExp): boolean {
  const statements = partsOf(method.childForFieldName('body'));
  if (!method.childForFieldName('body')) return false;
  return (
    statements.length === 0 || (statements.length === 1 && result.test(sourceOf(statements[0])))
  );
}

export const javaMatchers: TreeMatchers = {
  'command-injection': {
    on: ['method_invocation', 'object_creation_expression'],
    match: (node) => {
      if (node.type === 'object_creation_expression') {
        return (
          typeOf(node) === 'ProcessBuilder' &&
          argumentsOf(node).some((argument) => isAssembled(argument))
        );
      }
      const [command] = argumentsOf(node);
      const isExec =
        nameOf(node) === 'exec' && /getRuntime\(\)$|[rR]untime$|^rt$/.test(objectOf(node));
      return (
        isExec &&
        command !== undefined &&
        !isConstant(command) &&
        command.type !== 'array_creation_expression'
      );
    },
  },
  'sql-injection': {
    on: ['method_invocation'],
    match: (node) => {
      const [first] = argumentsOf(node);
      return sqlCalls.test(nameOf(node)) && isAssembled(first) && sqlWords.test(sourceOf(first));
    },
  },
  'weak-hash': {
    on: ['method_invocation'],
    match: (node) => {
      const isDigest = objectOf(node).endsWith('MessageDigest') && nameOf(node) === 'getInstance';
      if (isDigest) return /^(?:md[245]|sha-?1|sha)$/i.test(textOf(argumentsOf(node)[0]) ?? '');
      return (
        objectOf(node).endsWith('DigestUtils') && /^(?:md5|sha1|sha)(?:Hex)?$/.test(nameOf(node))
      );
    },
  },
  'weak-cipher': {
    on: ['method_invocation'],
    match: (node) =>
      /(?:Cipher|KeyGenerator|SecretKeyFactory)$/.test(objectOf(node)) &&
      nameOf(node) === 'getInstance' &&
      /^(?:DES|DESede|RC2|RC4|ARCFOUR|Blowfish|PBEWithMD5)/i.test(
        textOf(argumentsOf(node)[0]) ?? '',
      ),
  },
  'ecb-mode': {
    on: ['method_invocation'],
    match: (node) =>
      objectOf(node).endsWith('Cipher') &&
      nameOf(node) === 'getInstance' &&
      /^AES$|\/ECB\//i.test(textOf(argumentsOf(node)[0]) ?? ''),
  },
  'insecure-random': {
    on: ['object_creation_expression', 'method_invocation'],
    match: (node) =>
      node.type === 'method_invocation'
        ? objectOf(node) === 'Math' && nameOf(node) === 'random'
        : /^(?:java\.util\.)?Random$/.test(typeOf(node)),
  },
  'fixed-seed': {
    on: ['object_creation_expression', 'method_invocation'],
    match: (node) => {
      const [seed] = argumentsOf(node);
      if (!seed) return false;
      const isFixed =
        seed.type.endsWith('literal') ||
        /^(?:"[^"]{0,200}"\.getBytes\(|new byte\[\]\s?\{)/.test(sourceOf(seed));
      if (node.type === 'object_creation_expression')
        return typeOf(node) === 'SecureRandom' && isFixed;
      return nameOf(node) === 'setSeed' && /secure|^sr$/i.test(objectOf(node)) && isFixed;
    },
  },
  'xml-entities': {
    on: ['method_invocation', 'object_creation_expression'],
    match: (node, { text }) => {
      if (hardened.test(text)) return false;
      if (node.type === 'object_creation_expression')
        return /^(?:SAXReader|SAXBuilder)$/.test(typeOf(node));
      return (
        xmlFactories.test(objectOf(node)) &&
        /^new(?:Default)?(?:Instance|Factory)$/.test(nameOf(node)) &&
        !objectOf(node).startsWith('XPath')
      );
    },
  },
  'unsafe-deserialization': {
    on: ['method_invocation'],
    match: (node, { text }) => {
      if (nameOf(node) === 'readObject' && argumentsOf(node).length === 0) {
        return text.includes('ObjectInputStream') && !text.includes('ObjectInputFilter');
      }
      return nameOf(node) === 'fromXML' && text.includes('XStream') && !text.includes('allowTypes');
    },
  },
  'unsafe-yaml': {
    on: ['object_creation_expression'],
    match: (node) => typeOf(node) === 'Yaml' && !sourceOf(node).includes('SafeConstructor'),
  },
  'trust-all': {
    on: ['method_declaration'],
    match: (node) =>
      /^check(?:Server|Client)Trusted$/.test(nameOf(node)) && isEmptyBody(node, /^return;$/),
  },
  'hostname-verifier': {
    on: ['method_declaration', 'lambda_expression', 'identifier'],
    match: (node) => {
      if (node.type === 'identifier')
        return (
          /^(?:NoopHostnameVerifier|ALLOW_ALL_HOSTNAME_VERIFIER)$/.test(node.text) &&
          !isImport(node)
        );
      if (node.type === 'lambda_expression') {
        const isVerifier =
          /setDefaultHostnameVerifier|setHostnameVerifier|hostnameVerifier|HostnameVerifier/.test(
            sourceOf(node.parent?.parent).slice(0, 200),
          );
        return isVerifier && sourceOf(node.childForFieldName('body')) === 'true';
      }
      const takesSession = sourceOf(node.childForFieldName('parameters')).includes('SSLSession');
      return nameOf(node) === 'verify' && takesSession && isEmptyBody(node, /^return\s+true;$/);
    },
  },
  'old-tls': {
    on: ['method_invocation'],
    match: (node) =>
      objectOf(node).endsWith('SSLContext') &&
      nameOf(node) === 'getInstance' &&
      /^(?:SSL|SSLv2|SSLv3|TLSv1|TLSv1\.1)$/.test(textOf(argumentsOf(node)[0]) ?? ''),
  },
  'path-traversal': {
    on: ['object_creation_expression', 'method_invocation'],
    match: (node) => {
      const isPath =
        node.type === 'method_invocation'
          ? /^(?:Paths\.get|Path\.of)$/.test(`${objectOf(node)}.${nameOf(node)}`)
          : /^(?:File|FileInputStream|FileOutputStream|FileReader|FileWriter|RandomAccessFile)$/.test(
              typeOf(node),
            );
      return isPath && argumentsOf(node).some(isFromRequest);
    },
  },
  'hard-coded-secret': {
    on: ['variable_declarator', 'assignment_expression'],
    match: (node) => {
      const target = node.childForFieldName('name') ?? node.childForFieldName('left');
      const value = textOf(
        node.childForFieldName('value') ?? node.childForFieldName('right') ?? undefined,
      );
      return value !== undefined && isLiteralSecret(sourceOf(target).replace(/^this\./, ''), value);
    },
  },
  'connection-password': {
    on: ['method_invocation'],
    match: (node) => {
      if (nameOf(node) !== 'getConnection') return false;
      const password = textOf(argumentsOf(node)[2]);
      return password !== undefined && password !== '';
    },
  },
  'hard-coded-key': {
    on: ['object_creation_expression'],
    match: (node) =>
      /^(?:SecretKeySpec|IvParameterSpec|PBEKeySpec|DESKeySpec)$/.test(typeOf(node)) &&
      /^"[^"]{1,200}"\.(?:getBytes|toCharArray)\(/.test(sourceOf(argumentsOf(node)[0])),
  },
  'stack-trace': {
    on: ['method_invocation'],
    match: (node) => nameOf(node) === 'printStackTrace',
  },
  'predictable-temp': {
    on: ['object_creation_expression', 'method_invocation'],
    match: (node) => {
      if (node.type === 'method_invocation')
        return objectOf(node) === 'File' && nameOf(node) === 'createTempFile';
      return (
        /^(?:File|FileOutputStream|FileWriter)$/.test(typeOf(node)) &&
        /^\/(?:var\/)?tmp\//.test(textOf(argumentsOf(node)[0]) ?? '')
      );
    },
  },
  'permissive-mode': {
    on: ['method_invocation', 'string_literal'],
    match: (node) => {
      if (node.type === 'string_literal')
        return /^"r?[-r][-w][-x][-r][-w][-x][-r]w[-x]"$/.test(node.text);
      const [isAllowed, isOwnerOnly] = argumentsOf(node);
      return (
        /^set(?:Writable|Executable)$/.test(nameOf(node)) &&
        isAllowed?.text === 'true' &&
        isOwnerOnly?.text === 'false'
      );
    },
  },
  'script-engine': {
    on: ['method_invocation'],
    match: (node, { text }) => {
      const [script] = argumentsOf(node);
      return (
        nameOf(node) === 'eval' &&
        text.includes('ScriptEngine') &&
        script !== undefined &&
        !isConstant(script)
      );
    },
  },
  'expression-injection': {
    on: ['method_invocation'],
    match: (node, { text }) => {
      const [expression] = argumentsOf(node);
      if (!expression || isConstant(expression)) return false;
      if (nameOf(node) === 'parseExpression')
        return /SpelExpressionParser|ExpressionParser/.test(text);
      return (
        nameOf(node) === 'createValueExpression' ||
        (objectOf(node) === 'Ognl' && nameOf(node) === 'getValue')
      );
    },
  },
  'open-redirect': {
    on: ['method_invocation'],
    match: (node) => nameOf(node) === 'sendRedirect' && argumentsOf(node).some(isFromRequest),
  },
  'cookie-flags': {
    on: ['object_creation_expression', 'method_invocation'],
    match: (node, { text }) => {
      if (node.type === 'method_invocation')
        return (
          /^set(?:HttpOnly|Secure)$/.test(nameOf(node)) && argumentsOf(node)[0]?.text === 'false'
        );
      return (
        typeOf(node) === 'Cookie' && !(text.includes('setHttpOnly') && text.includes('setSecure'))
      );
    },
  },
  'csrf-off': {
    on: ['method_invocation'],
    match: (node) => {
      if (nameOf(node) === 'disable') return objectOf(node).endsWith('csrf()');
      return nameOf(node) === 'csrf' && /disable/.test(sourceOf(argumentsOf(node)[0]));
    },
  },
  'ldap-injection': {
    on: ['method_invocation'],
    match: (node) =>
      nameOf(node) === 'search' &&
      argumentsOf(node).some(
        (argument) => isAssembled(argument) && /\((?:&|\||!)?\(?\w+=/.test(sourceOf(argument)),
      ),
  },
};

function isImport(node: Node): boolean {
  let at: Node | null = node;
  for (let step = 0; step < 6 && at; step += 1) {
    if (at.type === 'import_declaration') return true;
    at = at.parent;
  }
  return false;
}
