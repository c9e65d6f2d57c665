import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import type { SourceFile } from '../../source-files.ts';
import { isLiteralSecret } from '../literal-secret.ts';
import type { FileScan } from '../scan-file-security.ts';
import { scanTree, sourceOf, type TreeMatchers } from '../tree-rule.ts';
import { partsOf } from '../walk-syntax-tree.ts';
import { rustRules } from './rust-rules.ts';

export async function scanRust(file: SourceFile, context: CodeContext): Promise<FileScan> {
  return scanTree(file, context, { grammar: 'rust', rules: rustRules, matchers: rustMatchers });
}

const argumentsOf = (call: Node): readonly Node[] => partsOf(call.childForFieldName('arguments'));
const isText = (node: Node | undefined): boolean => (node?.type ?? '').endsWith('string_literal');
const textOf = (node: Node | undefined): string =>
  node && isText(node) ? node.text.replace(/^[br]{0,2}#{0,5}"/, '').replace(/"#{0,5}$/, '') : '';

/** The path or the method a call names, type arguments left out. */
function nameOf(call: Node): string {
  const target = call.childForFieldName('function');
  const plain = target?.type === 'generic_function' ? target.childForFieldName('function') : target;
  if (plain?.type === 'field_expression') return `.${sourceOf(plain.childForFieldName('field'))}`;
  return sourceOf(plain).slice(0, 200);
}

/** The calls of a method chain, from the last to the first. */
function chainOf(call: Node): readonly Node[] {
  const chain: Node[] = [];
  let at: Node | null = call;
  for (let step = 0; step < 50 && at?.type === 'call_expression'; step += 1) {
    chain.push(at);
    const target: Node | null = at.childForFieldName('function');
    at = target?.type === 'field_expression' ? target.childForFieldName('value') : null;
  }
  return chain;
}

const isFormat = (node: Node | undefined): boolean => {
  if (!node) return false;
  const inner = node.type === 'reference_expression' ? node.childForFieldName('value') : node;
  return (
    inner?.type === 'macro_invocation' &&
    sourceOf(inner.childForFieldName('macro')) === 'format' &&
    /\{/.test(sourceOf(inner))
  );
};

const sqlWords = /(?:select\s|insert\s+into|update\s|delete\s+from|drop\s|alter\s|create\s)/i;
const sqlCalls =
  /(?:^|::|\.)(?:query|query_as|query_scalar|execute|sql_query|prepare|query_row|query_one|batch_execute|raw_sql|query_map)$/;
const weakRandom =
  /^(?:SmallRng|StdRng|rand::rngs::SmallRng|rand::rngs::StdRng|ChaCha8Rng)::(?:seed_from_u64|from_seed)$/;

export const rustMatchers: TreeMatchers = {
  'unsafe-block': { on: ['unsafe_block'], match: () => true },
  'unsafe-function': {
    on: ['function_item'],
    match: (node) =>
      /\bunsafe\b/.test(sourceOf(partsOf(node).find((part) => part.type === 'function_modifiers'))),
  },
  'shell-command': {
    on: ['call_expression'],
    match: (node) => {
      if (nameOf(node) !== '.arg') return false;
      const [argument] = argumentsOf(node);
      if (!argument || isText(argument)) return false;
      const [, flag, ...more] = chainOf(node);
      const isFlag =
        flag !== undefined && /^(?:-c|\/c|\/C|-Command)$/.test(textOf(argumentsOf(flag)[0]));
      return (
        isFlag &&
        more.some(
          (call) =>
            nameOf(call).endsWith('Command::new') &&
            /^(?:.*\/)?(?:ba|z|da)?sh$|^cmd|powershell|pwsh/.test(textOf(argumentsOf(call)[0])),
        )
      );
    },
  },
  'command-variable': {
    on: ['call_expression'],
    match: (node) => {
      const [program] = argumentsOf(node);
      return (
        /(?:^|::)Command::new$/.test(nameOf(node)) &&
        program !== undefined &&
        !isText(program) &&
        !/^[A-Z_]+$|current_exe|env!\(/.test(sourceOf(program))
      );
    },
  },
  'sql-injection': {
    on: ['call_expression'],
    match: (node) =>
      sqlCalls.test(nameOf(node)) &&
      argumentsOf(node)
        .slice(0, 1)
        .some((argument) => isFormat(argument) && sqlWords.test(sourceOf(argument))),
  },
  'tls-verification-off': {
    on: ['call_expression'],
    match: (node) =>
      /^\.(?:danger_accept_invalid_certs|danger_accept_invalid_hostnames)$/.test(nameOf(node))
        ? argumentsOf(node)[0]?.text !== 'false'
        : nameOf(node) === '.set_verify' &&
          /SslVerifyMode::NONE/.test(sourceOf(argumentsOf(node)[0])),
  },
  'weak-hash': {
    on: ['call_expression'],
    match: (node) =>
      /^(?:md5::compute|(?:md5::)?Md5::(?:new|digest)|(?:sha1::)?Sha1::(?:new|digest|from)|(?:md4::)?Md4::(?:new|digest)|MessageDigest::(?:md5|sha1)|openssl::hash::MessageDigest::(?:md5|sha1))$/.test(
        nameOf(node),
      ),
  },
  'weak-cipher': {
    on: ['call_expression'],
    match: (node) =>
      /(?:^|::)(?:Cipher::(?:des_\w+|rc4|bf_\w+|aes_\d{3}_ecb)|(?:Des|TdesEde3|Rc4|Blowfish)::new(?:_from_slice)?)$/.test(
        nameOf(node),
      ),
  },
  transmute: {
    on: ['call_expression'],
    match: (node) => /(?:^|::)transmute(?:_copy|_unchecked)?$/.test(nameOf(node)),
  },
  'static-mut': {
    on: ['static_item'],
    match: (node) => partsOf(node).some((part) => part.type === 'mutable_specifier'),
  },
  'raw-parts': {
    on: ['call_expression'],
    match: (node) => /(?:^|::)(?:from_raw_parts(?:_mut)?|from_raw)$/.test(nameOf(node)),
  },
  'unchecked-access': {
    on: ['call_expression'],
    match: (node) =>
      /^\.(?:get_unchecked(?:_mut)?|unwrap_unchecked)$|(?:^|::)(?:from_utf8_unchecked|unreachable_unchecked)$/.test(
        nameOf(node),
      ),
  },
  uninitialized: {
    on: ['call_expression'],
    match: (node) =>
      /(?:^|::)mem::(?:uninitialized|zeroed)$/.test(nameOf(node)) ||
      nameOf(node) === '.assume_init',
  },
  'hard-coded-secret': {
    on: ['let_declaration', 'const_item', 'static_item', 'field_initializer'],
    match: (node) => {
      const target =
        node.childForFieldName('pattern') ??
        node.childForFieldName('name') ??
        node.childForFieldName('field');
      const value = node.childForFieldName('value');
      const literal =
        value?.type === 'call_expression'
          ? (argumentsOf(value)[0] ??
            value.childForFieldName('function')?.childForFieldName('value'))
          : value;
      return isLiteralSecret(sourceOf(target).replace(/^mut\s+/, ''), textOf(literal ?? undefined));
    },
  },
  'set-var': {
    on: ['call_expression'],
    match: (node) => /(?:^|::)env::(?:set_var|remove_var)$/.test(nameOf(node)),
  },
  'insecure-random': {
    on: ['call_expression'],
    match: (node) => weakRandom.test(nameOf(node)) || nameOf(node).startsWith('fastrand::'),
  },
  'bind-all': {
    on: ['call_expression'],
    match: (node) =>
      /(?:::|\.)bind$/.test(nameOf(node)) &&
      /^(?:0\.0\.0\.0|\[::\]):/.test(textOf(argumentsOf(node)[0])),
  },
  'permissive-mode': {
    on: ['call_expression'],
    match: (node) => {
      if (!/(?:::from_mode|\.mode|\.set_mode)$/.test(nameOf(node))) return false;
      const digits = /^0o([0-7]{3,6})$/.exec(argumentsOf(node)[0]?.text ?? '')?.[1];
      return digits !== undefined && (Number.parseInt(digits, 8) & 0o002) !== 0;
    },
  },
  'predictable-temp': {
    on: ['call_expression'],
    match: (node) =>
      /(?:File::create|fs::write|fs::create_dir(?:_all)?)$/.test(nameOf(node)) &&
      /^\/(?:var\/)?tmp\//.test(textOf(argumentsOf(node)[0])),
  },
  'manual-sync': {
    on: ['impl_item'],
    match: (node) =>
      /^unsafe\s+impl\b/.test(sourceOf(node)) &&
      /^(?:Send|Sync)$/.test(sourceOf(node.childForFieldName('trait'))),
  },
  forget: {
    on: ['call_expression'],
    match: (node) =>
      /(?:^|::)mem::forget$/.test(nameOf(node)) || /(?:^|::)Box::leak$/.test(nameOf(node)),
  },
  'jwt-unverified': {
    on: ['call_expression'],
    match: (node) =>
      /^\.insecure_disable_signature_validation$|(?:^|::)dangerous_insecure_decode(?:_with_validation)?$|(?:^|::)insecure_decode$/.test(
        nameOf(node),
      ),
  },
};
