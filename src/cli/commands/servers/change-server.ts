import { shortListAbove } from '../../../contract/catalogue/index.ts';
import { AppError, lookupTable } from '../../../kernel/index.ts';
import { UsageError } from '../../errors.ts';
import { textsOf } from '../../global-flags.ts';
import { openFiles, textOption, type Invocation } from '../../invocation.ts';

type Change = 'remove' | 'enable' | 'disable';

const done = { remove: 'removed from', enable: 'enabled in', disable: 'disabled in' } as const;

export function changeServer(kind: Change) {
  return async (invocation: Invocation, name: string): Promise<number> => {
    const files = await openFiles(invocation);
    const file = await files.edit(targetOf(invocation), [{ kind, name }]);
    invocation.output.result(
      { name, file, done: kind },
      () => `"${name}" was ${done[kind]} ${file}`,
    );
    return 0;
  };
}

export async function addServer(invocation: Invocation, name: string): Promise<number> {
  const { output } = invocation;
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new UsageError(
      `"${name}" was not added: a name has up to 64 letters, digits, "_" and "-". It stands before the names of its tools`,
    );
  }
  const entry = entryOf(invocation);
  const target = targetOf(invocation);
  const files = await openFiles(invocation);
  const file = await files.edit(target, [{ kind: 'add', name, entry }]).catch((error: unknown) => {
    throw problemsOfOptions(error, name) ?? error;
  });
  output.result({ name, file, done: 'add' }, () => `"${name}" was added to ${file}`);
  if (target === 'project') output.note('It starts after "tutti trust".');
  output.note(
    `"tutti servers" starts it and counts its tools; above ${shortListAbove} in all, clients of "tutti mcp" get a short list.`,
  );
  const prefix = 'prefix' in entry ? undefined : files.proposePrefix(name);
  if (prefix !== undefined) {
    output.note(
      `Its tools are called "${name}__TOOL"; "prefix: ${prefix}" in its entry makes that "${prefix}__TOOL".`,
    );
  }
  return 0;
}

/** Options by the part of the entry that they become. */
const optionOf: Readonly<Record<string, string>> = lookupTable({
  url: '--url',
  type: '--type',
  headers: '--header',
  env: '--env',
  cwd: '--cwd',
  prefix: '--prefix',
  timeoutMs: '--timeout-ms',
});

/**
 * What the settings schema says against the new entry, said of the options it came from: a line of a file that
 * was not written would help nobody. Undefined where the file itself is wrong.
 */
function problemsOfOptions(error: unknown, name: string): UsageError | undefined {
  if (!(error instanceof AppError) || error.code !== 'config.invalid') return undefined;
  const problems = error.details['problems'];
  const texts = (Array.isArray(problems) ? problems : []).map((problem) => {
    const { key, expected, found }: Record<string, unknown> = Object(problem);
    const start = `mcpServers.${name}.`;
    const part = String(key).startsWith(start) ? String(key).slice(start.length).split('.')[0] : '';
    const option = optionOf[part ?? ''];
    return option === undefined
      ? undefined
      : `${option}: expected ${String(expected)}, found ${String(found)}`;
  });
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  return new UsageError(`"${name}" was not added. ${texts.join('; ')}`);
}

function targetOf({ options }: Invocation): 'user' | 'project' {
  return options['project'] === true ? 'project' : 'user';
}

/** The entry as it is written; whether it makes sense is for the settings schema to say. */
function entryOf(invocation: Invocation): Record<string, unknown> {
  const { operands, afterDashes } = invocation;
  const [, name = '', command, ...args] = operands;
  const stray = afterDashes === undefined ? [] : operands.slice(2, operands.length - afterDashes);
  if (stray.length > 0) {
    throw new UsageError(
      `"servers add" takes one name, and got "${[name, ...stray].join(' ')}". The command begins after --`,
    );
  }
  const url = textOption(invocation, 'url');
  if ((command === undefined) === (url === undefined)) {
    throw new UsageError(
      'A server is either a program ("servers add NAME -- COMMAND ARGS…") or an address ("servers add NAME --url ADDRESS")',
    );
  }
  const timeout = textOption(invocation, 'timeoutMs');
  const parts = {
    type: textOption(invocation, 'type'),
    command,
    args: args.length > 0 ? args : undefined,
    env: pairsOf(invocation, 'env', /^[^\s:]+$/),
    cwd: textOption(invocation, 'cwd'),
    url,
    headers: pairsOf(invocation, 'header', /^[\w!#$%&'*+.^`|~-]+$/),
    prefix: textOption(invocation, 'prefix'),
    timeoutMs: timeout === undefined ? undefined : Number(timeout),
    trustAnnotations: invocation.options['trustAnnotations'] === true ? true : undefined,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function pairsOf(
  { options }: Invocation,
  option: string,
  names: RegExp,
): Record<string, string> | undefined {
  const pairs = textsOf(options[option]).map((text): [string, string] => {
    const at = text.indexOf('=');
    // The text may be a secret, so it is not repeated.
    if (!names.test(text.slice(0, Math.max(at, 0))))
      throw new UsageError(`--${option} wants name=value`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}
