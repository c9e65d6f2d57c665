import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import type { SourceFile } from '../../source-files.ts';
import { isLiteralSecret } from '../literal-secret.ts';
import type { FileScan } from '../scan-file-security.ts';
import { scanTree, sourceOf, type TreeMatchers } from '../tree-rule.ts';
import { partsOf } from '../walk-syntax-tree.ts';
import { goRules } from './go-rules.ts';

export async function scanGo(file: SourceFile, context: CodeContext): Promise<FileScan> {
  return scanTree(file, context, { grammar: 'go', rules: goRules, matchers: goMatchers });
}

const nameOf = (call: Node): string => sourceOf(call.childForFieldName('function')).slice(0, 200);
const argumentsOf = (call: Node): readonly Node[] => partsOf(call.childForFieldName('arguments'));
const isText = (node: Node | undefined): boolean => (node?.type ?? '').endsWith('_string_literal');
const textOf = (node: Node | undefined): string =>
  node && isText(node) ? node.text.slice(1, -1) : '';

/** Text put together from parts of which one is not a literal. */
function isAssembled(node: Node | undefined): boolean {
  if (!node) return false;
  if (node.type === 'binary_expression') {
    return (
      node.descendantsOfType(['identifier', 'call_expression', 'selector_expression']).length > 0
    );
  }
  return (
    node.type === 'call_expression' &&
    /^(?:fmt\.Sprintf|fmt\.Sprint|strings\.Join|strings\.ReplaceAll)$/.test(nameOf(node))
  );
}

const sqlCalls =
  /\.(?:Query|QueryRow|Exec|Prepare|QueryContext|QueryRowContext|ExecContext|PrepareContext|Raw|Queryx|Get|Select|NamedExec|MustExec)$/;
const sqlWords =
  /(?:select\s|insert\s+into|update\s|delete\s+from|drop\s|alter\s|create\s|where\s)/i;
const requestData =
  /\b(?:r|req|request)\.(?:FormValue|PostFormValue|URL\.Query|PathValue|Header\.Get|URL\.Path|Form\b)|\b(?:c|ctx)\.(?:Query|Param|PostForm|FormValue|QueryParam)\(|mux\.Vars\(/;
const isFromRequest = (node: Node): boolean => requestData.test(sourceOf(node));
const fileCalls =
  /^(?:os\.(?:Open|OpenFile|Create|ReadFile|WriteFile|Remove|RemoveAll)|ioutil\.(?:ReadFile|WriteFile)|http\.ServeFile|filepath\.Join|path\.Join)$/;
const secretUse = /token|secret|passw|session|nonce|salt|otp|csrf|key|uuid|verif/i;

/** The nearest function around a node and what it is assigned to, by name. */
function namesAround(node: Node): string {
  let names = '';
  let at: Node | null = node.parent;
  for (let step = 0; step < 12 && at; step += 1) {
    if (/^(?:short_var_declaration|assignment_statement)$/.test(at.type))
      names += ` ${sourceOf(at.childForFieldName('left'))}`;
    if (/^(?:function_declaration|method_declaration|var_spec)$/.test(at.type))
      names += ` ${sourceOf(at.childForFieldName('name'))}`;
    at = at.parent;
  }
  return names;
}

/** Fields of a composite literal, by name. */
function fieldsOf(literal: Node): ReadonlyMap<string, string> {
  const pairs = partsOf(literal.childForFieldName('body'))
    .filter((part) => part.type === 'keyed_element')
    .map((pair): [string, string] => {
      const [key, value] = partsOf(pair);
      return [sourceOf(key), sourceOf(value)];
    });
  return new Map(pairs);
}

const typeOf = (literal: Node): string => sourceOf(literal.childForFieldName('type'));

export const goMatchers: TreeMatchers = {
  'shell-command': {
    on: ['call_expression'],
    match: (node) => {
      if (!/^exec\.Command(?:Context)?$/.test(nameOf(node))) return false;
      const args = argumentsOf(node);
      const flag = args.findIndex((argument) =>
        /^["`](?:-c|\/c|\/C|-Command)["`]$/.test(argument.text),
      );
      const shell = args[flag - 1];
      const isShell =
        shell !== undefined &&
        /^(?:.*\/)?(?:ba|z|da|k)?sh$|^cmd(?:\.exe)?$|powershell|pwsh/i.test(textOf(shell));
      return isShell && args.slice(flag + 1).some((argument) => !isText(argument));
    },
  },
  'command-variable': {
    on: ['call_expression'],
    match: (node) => {
      const isContext = nameOf(node) === 'exec.CommandContext';
      if (!isContext && !/^(?:exec\.Command|syscall\.Exec|os\.StartProcess)$/.test(nameOf(node)))
        return false;
      const program = argumentsOf(node)[isContext ? 1 : 0];
      return program !== undefined && !isText(program) && !/^[A-Z]/.test(program.text);
    },
  },
  'sql-injection': {
    on: ['call_expression'],
    match: (node) =>
      sqlCalls.test(nameOf(node)) &&
      argumentsOf(node)
        .slice(0, 2)
        .some((argument) => isAssembled(argument) && sqlWords.test(sourceOf(argument))),
  },
  'weak-hash': {
    on: ['call_expression'],
    match: (node) => /^(?:md5|sha1|md4|ripemd160)\.(?:New|Sum|Sum16)$/.test(nameOf(node)),
  },
  'weak-cipher': {
    on: ['call_expression'],
    match: (node) =>
      /^(?:des\.New(?:TripleDES)?Cipher|rc4\.NewCipher|blowfish\.NewCipher|cast5\.NewCipher)$/.test(
        nameOf(node),
      ),
  },
  'tls-verification-off': {
    on: ['keyed_element', 'assignment_statement'],
    match: (node) =>
      /^(?:\w+\.){0,5}InsecureSkipVerify\s{0,4}[:=]\s{0,4}true$/.test(sourceOf(node)),
  },
  'old-tls': {
    on: ['keyed_element'],
    match: (node) =>
      /^M(?:in|ax)Version:\s{0,8}(?:tls\.VersionSSL30|tls\.VersionTLS1[01]|0x030[0-2])$/.test(
        sourceOf(node),
      ),
  },
  'insecure-random': {
    on: ['call_expression'],
    match: (node, { text }) =>
      /^rand\.(?:Int|Intn|Int31n?|Int63n?|Uint32|Uint64|Float64|Read|Perm|N|IntN)$/.test(
        nameOf(node),
      ) &&
      /"math\/rand(?:\/v2)?"/.test(text) &&
      secretUse.test(namesAround(node)),
  },
  'hard-coded-secret': {
    on: [
      'short_var_declaration',
      'assignment_statement',
      'const_spec',
      'var_spec',
      'keyed_element',
    ],
    match: (node) => {
      if (node.type === 'keyed_element') {
        const [key, value] = partsOf(node);
        const literal = value && (isText(value) ? value : partsOf(value)[0]);
        return isLiteralSecret(sourceOf(key).replaceAll('"', ''), textOf(literal));
      }
      const target = node.childForFieldName('left') ?? node.childForFieldName('name');
      const values = node.childForFieldName('right') ?? node.childForFieldName('value');
      const [value] = partsOf(values);
      return isLiteralSecret(
        sourceOf(target).split(',')[0]?.split('.').at(-1) ?? '',
        textOf(value),
      );
    },
  },
  'bind-all': {
    on: ['call_expression'],
    match: (node) =>
      /^(?:net\.Listen|tls\.Listen|http\.ListenAndServe(?:TLS)?)$/.test(nameOf(node)) &&
      argumentsOf(node).some((argument) =>
        /^(?:0\.0\.0\.0|\[::\])?:\d{1,5}$/.test(textOf(argument)),
      ),
  },
  'permissive-mode': {
    on: ['call_expression'],
    match: (node) => {
      if (
        !/^(?:os\.(?:Chmod|Mkdir|MkdirAll|OpenFile|WriteFile)|ioutil\.WriteFile)$/.test(
          nameOf(node),
        )
      )
        return false;
      const mode = argumentsOf(node).at(-1)?.text ?? '';
      const digits = /^0o?([0-7]{3,4})$/.exec(mode)?.[1];
      return digits !== undefined && (Number.parseInt(digits, 8) & 0o022) !== 0;
    },
  },
  'unsafe-pointer': {
    on: ['import_spec'],
    match: (node) => sourceOf(node.childForFieldName('path')) === '"unsafe"',
  },
  'no-timeouts': {
    on: ['call_expression', 'composite_literal'],
    match: (node) => {
      if (node.type === 'call_expression')
        return /^http\.(?:ListenAndServe(?:TLS)?|Serve)$/.test(nameOf(node));
      if (typeOf(node) !== 'http.Server') return false;
      const fields = fieldsOf(node);
      return fields.size > 0 && !fields.has('ReadHeaderTimeout') && !fields.has('ReadTimeout');
    },
  },
  'predictable-temp': {
    on: ['call_expression'],
    match: (node) =>
      /^(?:os\.(?:Create|OpenFile|WriteFile|Mkdir|MkdirAll)|ioutil\.WriteFile)$/.test(
        nameOf(node),
      ) && /^\/(?:var\/)?tmp\//.test(textOf(argumentsOf(node)[0])),
  },
  'unescaped-html': {
    on: ['call_expression', 'type_conversion_expression'],
    match: (node) => {
      const name = nameOf(node) || sourceOf(node.childForFieldName('type'));
      return (
        /^template\.(?:HTML|JS|URL|CSS|HTMLAttr|JSStr|Srcset)$/.test(name) &&
        !argumentsOf(node).every(isText)
      );
    },
  },
  'text-template-html': {
    on: ['import_spec'],
    match: (node, { text }) =>
      sourceOf(node.childForFieldName('path')) === '"text/template"' && text.includes('"net/http"'),
  },
  'path-traversal': {
    on: ['call_expression'],
    match: (node) =>
      fileCalls.test(nameOf(node)) &&
      argumentsOf(node).some(
        (argument, index) =>
          isFromRequest(argument) && (index > 0 || !nameOf(node).startsWith('http.')),
      ),
  },
  ssrf: {
    on: ['call_expression'],
    match: (node) =>
      /^(?:http\.(?:Get|Post|Head|PostForm|NewRequest|NewRequestWithContext)|client\.Get)$/.test(
        nameOf(node),
      ) && argumentsOf(node).some(isFromRequest),
  },
  'open-redirect': {
    on: ['call_expression'],
    match: (node) =>
      /^(?:http\.Redirect|c\.Redirect|ctx\.Redirect)$/.test(nameOf(node)) &&
      argumentsOf(node).some(isFromRequest),
  },
  'short-key': {
    on: ['call_expression'],
    match: (node) => {
      if (nameOf(node) !== 'rsa.GenerateKey') return false;
      const bits = Number(argumentsOf(node)[1]?.text);
      return bits > 0 && bits < 2048;
    },
  },
  'host-key': {
    on: ['call_expression'],
    match: (node) => nameOf(node) === 'ssh.InsecureIgnoreHostKey',
  },
  'cookie-flags': {
    on: ['composite_literal'],
    match: (node) => {
      if (typeOf(node) !== 'http.Cookie') return false;
      const fields = fieldsOf(node);
      return (
        fields.has('Value') &&
        !(
          fields.has('HttpOnly') &&
          fields.get('HttpOnly') !== 'false' &&
          fields.has('Secure') &&
          fields.get('Secure') !== 'false'
        )
      );
    },
  },
  pprof: {
    on: ['import_spec'],
    match: (node) => sourceOf(node.childForFieldName('path')) === '"net/http/pprof"',
  },
  'decompression-bomb': {
    on: ['call_expression'],
    match: (node, { text }) =>
      /^(?:io\.Copy|io\.CopyBuffer|io\.ReadAll|ioutil\.ReadAll)$/.test(nameOf(node)) &&
      /"(?:compress\/(?:gzip|zlib|flate|bzip2|lzw)|archive\/(?:tar|zip))"/.test(text) &&
      /\b(?:gz|gzr|zr|zlib|flate|reader|tr|rc|unzip|decompress)\w*\b/i.test(
        sourceOf(argumentsOf(node).at(-1)),
      ) &&
      !/LimitReader/.test(sourceOf(node)),
  },
};
