import type { Node } from 'web-tree-sitter';
import type { Severity } from '../../finding.ts';
import { partsOf } from '../walk-syntax-tree.ts';
import {
  bannedCalls,
  bannedImports,
  brokenProtocols,
  shellCalls,
  spawnCalls,
  subprocessCalls,
} from './bandit-names.ts';
import { isUnsafeMarkSafe } from './mark-safe.ts';
import type { ImportedName, PythonNames } from './python-names.ts';
import {
  argumentsOf,
  defaultsOf,
  isKeyword,
  isText,
  textOf,
  unwrap,
  valueOf,
  type PythonArguments,
  type PythonValue,
} from './python-values.ts';

/** A rule that matched; `at` where it is not the start of the node that was checked. */
export interface PythonMatch {
  readonly rule: string;
  readonly at?: Node | undefined;
  readonly severity?: Severity;
}

interface Call {
  readonly node: Node;
  readonly args: PythonArguments;
  /** Dotted name of what is called, and its last part. */
  readonly name: string;
  readonly last: string;
  readonly names: PythonNames;
}

type CallCheck = (call: Call) => PythonMatch | undefined;

/** All rules that look at a call. */
export function checkCall(node: Node, names: PythonNames): readonly PythonMatch[] {
  const target = node.childForFieldName('function');
  if (!target) return [];
  const name = names.resolve(target);
  const last = name.slice(name.lastIndexOf('.') + 1);
  const call: Call = { node, args: argumentsOf(node), name, last, names };
  return callChecks.map((check) => check(call)).filter((match) => match !== undefined);
}

/** An import statement is reported once, by the first rule that knows one of its names. */
export function checkImport(imported: readonly ImportedName[]): readonly PythonMatch[] {
  for (const [rule, modules] of bannedImports) {
    for (const { full } of imported) {
      if (modules.some((module) => full.startsWith(module))) return [{ rule }];
    }
  }
  return [];
}

export function checkFunction(definition: Node): readonly PythonMatch[] {
  const defaults = defaultsOf(definition);
  const matches: PythonMatch[] = [];
  if (defaults.some(({ name, value }) => isText(value) && isPasswordName(name))) {
    matches.push({ rule: 'S107' });
  }
  const attributes = defaults.map(({ value }) => unwrap(value));
  if (attributes.some((value) => value.type === 'attribute' && isBroken(valueOf(value)))) {
    matches.push({ rule: 'S503' });
  }
  return matches;
}

export function checkExcept(clause: Node): readonly PythonMatch[] {
  const caught = clause.childForFieldName('value');
  const type = caught?.type === 'as_pattern' ? partsOf(caught)[0] : caught;
  if (type && (type.type !== 'identifier' || type.text !== 'Exception')) return [];
  const block = partsOf(clause).find((part) => part.type === 'block') ?? null;
  const [only, ...more] = partsOf(block);
  if (!only || more.length > 0) return [];
  if (only.type === 'pass_statement') return [{ rule: 'S110' }];
  return only.type === 'continue_statement' ? [{ rule: 'S112' }] : [];
}

const passwordWord = '(?:pas+wo?r?d|pass(?:phrase)?|pwd|token|secrete?)';
const passwordName = new RegExp(
  `^${passwordWord}$|_${passwordWord}_|^${passwordWord}_|_${passwordWord}$`,
  'i',
);
const maxNameLength = 200;

function isPasswordName(name: string): boolean {
  return name.length <= maxNameLength && passwordName.test(name);
}

const callChecks: readonly CallCheck[] = [
  checkBannedCall,
  ({ name }) => (name === 'exec' ? { rule: 'S102' } : undefined),
  checkChmod,
  ({ args }) =>
    [...args.keywords].some(([name, value]) => isText(value) && isPasswordName(name))
      ? { rule: 'S106' }
      : undefined,
  ({ args, name, names }) =>
    names.hasImportLike('flask') && name.endsWith('.run') && isKeyword(args, 'debug', 'True')
      ? { rule: 'S201', at: args.keywords.get('debug') }
      : undefined,
  checkHashByName,
  checkRequest,
  checkProtocol,
  ({ args, name }) =>
    name === 'ssl.wrap_socket' && valueOf(args.keywords.get('ssl_version')).kind === 'unknown'
      ? { rule: 'S504' }
      : undefined,
  checkKeySize,
  checkYaml,
  checkHostKey,
  ({ last, names }) =>
    last === 'exec_command' && names.hasImportLike('paramiko') ? { rule: 'S601' } : undefined,
  checkSubprocess,
  checkShell,
  ({ name }) => (spawnCalls.has(name) ? { rule: 'S606' } : undefined),
  checkPartialPath,
  checkWildcard,
  checkExtra,
  ({ args, last, names }) =>
    last === 'RawSQL' &&
    names.hasImportLike('django.db.models') &&
    args.positional[0] &&
    !isText(args.positional[0])
      ? { rule: 'S611' }
      : undefined,
  checkJinja,
  ({ name, last }) =>
    last === 'Template' && name.split('.').includes('mako') ? { rule: 'S702' } : undefined,
  ({ node, args, last, names }) =>
    markSafeFunctions.has(last) &&
    names.hasImportLike('django.utils.safestring') &&
    isUnsafeMarkSafe(node, args.positional[0])
      ? { rule: 'S703' }
      : undefined,
];

const markSafeFunctions = new Set([
  'mark_safe',
  'SafeText',
  'SafeUnicode',
  'SafeString',
  'SafeBytes',
]);

const importFunctions = new Set(['importlib.import_module', 'importlib.__import__']);

function checkBannedCall({ name, args, node, names }: Call): PythonMatch | undefined {
  const [first] = args.positional;
  const target = node.childForFieldName('function');
  const isImport =
    importFunctions.has(name) ||
    (target?.type === 'identifier' && names.resolve(target) === '__import__');
  const value = isImport ? valueOf(first) : undefined;
  const called = isImport ? (value?.kind === 'text' ? value.text : '') : name;
  for (const [rule, functions] of [...bannedCalls, ...bannedImports]) {
    if (functions.some((pattern) => fits(called, pattern))) return { rule };
  }
  return undefined;
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

const writableByAll = 0o002;
const executableByGroup = 0o010;

function checkChmod({ last, args }: Call): PythonMatch | undefined {
  if (!last.includes('chmod') || args.positional.length !== 2) return undefined;
  const mode = valueOf(args.positional[1]);
  if (mode.kind !== 'number' || !Number.isInteger(mode.number)) return undefined;
  if ((mode.number & writableByAll) !== 0) return { rule: 'S103', severity: 'critical' };
  return (mode.number & executableByGroup) !== 0 ? { rule: 'S103' } : undefined;
}

function checkHashByName({ name, last, args }: Call): PythonMatch | undefined {
  if (last !== 'new' || !name.split('.').includes('hashlib')) return undefined;
  const algorithm = valueOf(args.positional[0] ?? args.keywords.get('name'));
  if (algorithm.kind !== 'text' && algorithm.kind !== 'name') return undefined;
  return ['md4', 'md5'].includes(algorithm.text.toLowerCase()) ? { rule: 'S324' } : undefined;
}

const httpVerbs = new Set(['get', 'options', 'head', 'post', 'put', 'patch', 'delete']);

function checkRequest({ name, last, args }: Call): PythonMatch | undefined {
  if (!name.includes('requests') || !httpVerbs.has(last)) return undefined;
  if (!isKeyword(args, 'verify', 'False')) return undefined;
  return { rule: 'S501', at: args.keywords.get('verify') };
}

function isBroken(value: PythonValue): boolean {
  return (value.kind === 'name' || value.kind === 'text') && brokenProtocols.has(value.text);
}

function checkProtocol({ name, args }: Call): PythonMatch | undefined {
  const method = args.keywords.get('method');
  const version = args.keywords.get('ssl_version');
  if (name === 'ssl.wrap_socket') {
    return isBroken(valueOf(version)) ? { rule: 'S502', at: version } : undefined;
  }
  if (name === 'pyOpenSSL.SSL.Context') {
    return isBroken(valueOf(method)) ? { rule: 'S502', at: method } : undefined;
  }
  if (!isBroken(valueOf(method)) && !isBroken(valueOf(version))) return undefined;
  return { rule: 'S502', at: method ?? version, severity: 'major' };
}

const minBits = 2048;
/** Curves below 224 bits. */
const weakCurves: ReadonlySet<string> = new Set(['SECP192R1', 'SECT163K1', 'SECT163R2']);
const breakableBits = 1024;

function checkKeySize({ name, args }: Call): PythonMatch | undefined {
  const asymmetric = 'cryptography.hazmat.primitives.asymmetric';
  if (name === `${asymmetric}.ec.generate_private_key`) {
    const curve = valueOf(args.keywords.get('curve') ?? args.positional[0]);
    const isWeak = (curve.kind === 'name' || curve.kind === 'text') && weakCurves.has(curve.text);
    return isWeak ? { rule: 'S505' } : undefined;
  }
  const position = keySizePositions.get(name.replace(/^Cryptodome\./, 'Crypto.'));
  if (!position) return undefined;
  const bits = valueOf(args.keywords.get(position.keyword) ?? args.positional[position.index]);
  if (bits.kind !== 'number' || bits.number === 0 || bits.number >= minBits) return undefined;
  return { rule: 'S505', severity: bits.number < breakableBits ? 'critical' : 'major' };
}

/** Where each key generator takes the number of bits. */
const keySizePositions: ReadonlyMap<string, { readonly keyword: string; readonly index: number }> =
  new Map([
    [
      'cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key',
      { keyword: 'key_size', index: 0 },
    ],
    [
      'cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key',
      { keyword: 'key_size', index: 1 },
    ],
    ['Crypto.PublicKey.DSA.generate', { keyword: 'bits', index: 0 }],
    ['Crypto.PublicKey.RSA.generate', { keyword: 'bits', index: 0 }],
  ]);

function checkYaml({ name, last, args, names }: Call): PythonMatch | undefined {
  if (last !== 'load' || !names.hasImport('yaml') || !name.split('.').includes('yaml')) {
    return undefined;
  }
  const isSafe = ['SafeLoader', 'CSafeLoader'].some((loader) => isKeyword(args, 'Loader', loader));
  return isSafe ? undefined : { rule: 'S506' };
}

function checkHostKey({ last, args, names }: Call): PythonMatch | undefined {
  if (last !== 'set_missing_host_key_policy' || !names.hasImportLike('paramiko')) return undefined;
  const policy = valueOf(args.positional[0]);
  const isTrusting =
    (policy.kind === 'name' || policy.kind === 'text') &&
    (policy.text === 'AutoAddPolicy' || policy.text === 'WarningPolicy');
  return isTrusting ? { rule: 'S507' } : undefined;
}

/** Whether `shell` is given as something other than a constant that is false. */
function usesShell({ args }: Call): boolean {
  const shell = args.keywords.get('shell');
  if (!shell) return false;
  const value = valueOf(shell);
  if (value.kind === 'number') return value.number !== 0;
  if (unwrap(shell).type === 'list') return value.kind === 'list' && value.items.length > 0;
  if (unwrap(shell).type === 'dictionary') return partsOf(unwrap(shell)).length > 0;
  return !(value.kind === 'name' && (value.text === 'False' || value.text === 'None'));
}

/** A fixed command is no injection today: worth knowing, not worth stopping for. */
function severityOfCommand(command: Node): Severity {
  return isText(command) ? 'minor' : 'critical';
}

function checkSubprocess(call: Call): PythonMatch | undefined {
  const shell = call.args.keywords.get('shell');
  const isShell = usesShell(call);
  if (!subprocessCalls.has(call.name)) return isShell ? { rule: 'S604', at: shell } : undefined;
  if (!isShell) return { rule: 'S603', at: shell };
  const [command] = call.args.positional;
  if (!command) return undefined;
  return { rule: 'S602', at: shell, severity: severityOfCommand(command) };
}

function checkShell({ name, args }: Call): PythonMatch | undefined {
  const [command] = args.positional;
  if (!command || !shellCalls.has(name)) return undefined;
  return { rule: 'S605', severity: severityOfCommand(command) };
}

const fullPath = /^(?:[A-Za-z]:|[\\/.])/;

function checkPartialPath({ name, args }: Call): PythonMatch | undefined {
  if (!subprocessCalls.has(name) && !shellCalls.has(name) && !spawnCalls.has(name)) {
    return undefined;
  }
  const [first] = args.positional;
  if (!first) return undefined;
  const command = unwrap(first).type === 'list' ? partsOf(unwrap(first))[0] : first;
  return command && isText(command) && !fullPath.test(textOf(command))
    ? { rule: 'S607' }
    : undefined;
}

const wildcardPrograms = ['chown', 'chmod', 'tar', 'rsync'];

function checkWildcard({ name, args }: Call): PythonMatch | undefined {
  const isShell =
    shellCalls.has(name) || (subprocessCalls.has(name) && isKeyword(args, 'shell', 'True'));
  if (!isShell) return undefined;
  const command = valueOf(args.positional[0]);
  const items = command.kind === 'list' ? command.items : [command];
  const text = items
    .map((item) => (item.kind === 'text' || item.kind === 'name' ? item.text : ''))
    .join(' ');
  if (!text.includes('*') || !wildcardPrograms.some((program) => text.includes(program))) {
    return undefined;
  }
  return { rule: 'S609', at: args.keywords.get('shell') };
}

function checkExtra({ last, args }: Call): PythonMatch | undefined {
  if (last !== 'extra') return undefined;
  const given = new Map(args.keywords);
  ['select', 'where', 'params', 'tables'].forEach((name, index) => {
    const value = args.positional[index];
    if (value) given.set(name, value);
  });
  const lists = [given.get('where'), given.get('tables')].filter((node) => node !== undefined);
  const areListsFixed = lists.every(
    (node) => unwrap(node).type === 'list' && partsOf(unwrap(node)).every((item) => isText(item)),
  );
  const select = given.get('select');
  return areListsFixed && (!select || isFixedDictionary(unwrap(select)))
    ? undefined
    : { rule: 'S610' };
}

function isFixedDictionary(node: Node): boolean {
  return (
    node.type === 'dictionary' &&
    partsOf(node).every(
      (pair) => isText(pair.childForFieldName('key')) && isText(pair.childForFieldName('value')),
    )
  );
}

function checkJinja({ name, last, args, names }: Call): PythonMatch | undefined {
  if (last !== 'Environment' || !name.split('.').includes('jinja2')) return undefined;
  const value = args.keywords.get('autoescape');
  if (!value) return { rule: 'S701' };
  const inner = unwrap(value);
  if (inner.type === 'true') return undefined;
  const target = inner.type === 'call' ? inner.childForFieldName('function') : undefined;
  const isSelected = target ? names.resolve(target).endsWith('select_autoescape') : false;
  return isSelected ? undefined : { rule: 'S701' };
}
