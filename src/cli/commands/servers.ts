import { localCaller } from '../../contract/caller/index.ts';
import { shortListAbove } from '../../contract/catalogue/index.ts';
import type { ServerState, ServerStatus, ToolChange } from '../../contract/fleet/index.ts';
import { AppError, pluralize, lookupTable } from '../../kernel/index.ts';
import { NotRemoteCommandError, UnknownNameError, UsageError } from '../errors.ts';
import {
  type Invocation,
  limitOption,
  openFiles,
  serverOf,
  textOption,
  textsOf,
  withSystem,
} from '../invocation.ts';
import { firstSentence, formatColumns, type Paint } from '../output.ts';
import { singleLine } from '../printable.ts';
import { type Action, actionsOf } from '../run-action.ts';
import { describeLogin, logIn, logOut } from './server-login.ts';

const entryOptions = [
  'url',
  'type',
  'header',
  'env',
  'cwd',
  'prefix',
  'timeoutMs',
  'trustAnnotations',
];

export const run = actionsOf('servers', {
  list: { run: listServers, takes: [], options: [] },
  add: {
    run: named(addServer),
    takes: ['NAME', 'COMMAND…?'],
    options: ['project', ...entryOptions],
  },
  remove: { run: named(changeServer('remove')), takes: ['NAME'], options: ['project'] },
  enable: { run: named(changeServer('enable')), takes: ['NAME'], options: ['project'] },
  disable: { run: named(changeServer('disable')), takes: ['NAME'], options: ['project'] },
  diff: { run: named(diffTools), takes: ['NAME'], options: [] },
  accept: { run: acceptTools, takes: ['NAME', 'TOOL…?'], options: [] },
  logs: { run: named(showLogs), takes: ['NAME'], options: ['limit'] },
  restart: { run: named(restartServer), takes: ['NAME'], options: [] },
  login: { run: named(logIn), takes: ['NAME'], options: [] },
  logout: { run: named(logOut), takes: ['NAME'], options: [] },
});

function named(act: (invocation: Invocation, name: string) => Promise<number>): Action['run'] {
  return (invocation, [name = '']) => act(invocation, name);
}

/** Servers that need longer are shown as they are then. */
const startLimitMs = 60_000;
const maxReason = 200;
const maxNamedChanges = 3;

export async function listServers(invocation: Invocation): Promise<number> {
  const { options, output } = invocation;
  return withSystem(invocation, {}, async ({ fleet, settings }) => {
    if (options['start'] !== false) {
      const waiting = async (): Promise<string> => {
        const late = (await fleet.status()).filter(({ state }) => state === 'starting');
        return `Waiting for servers to start: ${late.map(({ name }) => name).join(', ')}`;
      };
      await output.during(waiting, fleet.startAll(startLimitMs));
    }
    const servers = await fleet.status(localCaller);
    output.result(servers, () => table(servers, output.paint));
    const listed = servers.filter(({ isListed }) => isListed);
    const count = listed.reduce((sum, { tools }) => sum + tools, 0);
    const compact = settings.describe().find(({ key }) => key === 'server.compact')?.value;
    if ((compact ?? 'auto') === 'auto' && count > shortListAbove) output.note(shortListText(count));
    for (const collision of fleet.collisions()) output.note(`note: ${collision}`);
    return 0;
  });
}

function shortListText(count: number): string {
  return `${count} tools: above ${shortListAbove}, clients of "tutti mcp" get a short list that finds and calls the others, "agent__ask" among them; "tutti mcp --all" or the setting server.compact changes that`;
}

const advice: Partial<Record<ServerState, string>> = {
  untrusted: 'look at it and allow it with "tutti trust"',
  disabled: 'use it again with "tutti servers enable"',
};

function table(servers: readonly ServerStatus[], paint: Paint): string {
  if (servers.length === 0) return 'There are no servers.';
  const rows = servers.map((server) => {
    const { name, state, transport, tools, restarts, pid, lastError } = server;
    // Why it failed is what the login says, then.
    const isRefused = server.login !== null && server.login.state !== 'active';
    const isUsable = state === 'ready' || isRefused;
    const reason = advice[state] ?? (isUsable ? '' : (lastError ?? ''));
    return [
      name,
      state,
      transport,
      pluralize(tools, 'tool'),
      pid === null ? '' : `pid ${pid}`,
      restarts === 0 ? '' : pluralize(restarts, 'restart'),
      firstSentence(
        [loginText(server), reason, ...server.problems, changeText(server), flagText(server)]
          .filter(Boolean)
          .join('; '),
        maxReason,
      ),
    ];
  });
  return formatColumns(rows)
    .split('\n')
    .map((line, index) => painterOf(servers[index]?.state, paint)(line))
    .join('\n');
}

function loginText({ name, login }: ServerStatus): string {
  if (login === null) return '';
  const text = describeLogin(login);
  return login.state === 'active' ? text : `${text}: "tutti servers login ${name}"`;
}

/** The first suspicious tools; all of them are in the JSON. */
function flagText({ flags }: ServerStatus): string {
  if (flags.length === 0) return '';
  const named = flags.slice(0, maxNamedChanges).map(({ tool, kind }) => `${tool} (${kind})`);
  const more = flags.length > maxNamedChanges ? ', …' : '';
  return `suspicious: ${named.join(', ')}${more}`;
}

/** Tools that a server made others of; the first ones by name. */
function changeText({ name, changedTools }: ServerStatus): string {
  if (changedTools.length === 0) return '';
  const named = changedTools
    .toSorted((a, b) => Number(b.isLessCareful) - Number(a.isLessCareful))
    .slice(0, maxNamedChanges)
    .map(describeChange);
  const more = changedTools.length > maxNamedChanges ? [', …'] : [];
  const held = changedTools.filter(({ isHeld }) => isHeld).length;
  const state = held > 0 ? `${held} held back` : 'in use';
  return `${changedTools.length} changed, ${state}: ${[named.join(', '), ...more].join('')}: "tutti servers diff ${name}", "tutti servers accept ${name}"`;
}

function painterOf(state: ServerState | undefined, paint: Paint): (line: string) => string {
  if (state === 'failed' || state === 'crash-looping') return paint.red;
  if (state === 'untrusted' || state === 'restarting') return paint.yellow;
  return state === 'disabled' ? paint.dim : (line) => line;
}

type Change = 'remove' | 'enable' | 'disable';

const done = { remove: 'removed from', enable: 'enabled in', disable: 'disabled in' } as const;

export function changeServer(kind: Change) {
  return async (invocation: Invocation, name: string): Promise<number> => {
    if (kind !== 'remove' && serverOf(invocation) !== undefined) {
      return switchRemotely(invocation, name, kind);
    }
    const files = await openFiles(invocation);
    const file = await files.edit(targetOf(invocation), [{ kind, name }]);
    invocation.output.result(
      { name, file, done: kind },
      () => `"${name}" was ${done[kind]} ${file}`,
    );
    return 0;
  };
}

/** In the settings of the machine that serves; its processes take it over at once. */
function switchRemotely(
  invocation: Invocation,
  name: string,
  kind: 'enable' | 'disable',
): Promise<number> {
  if (invocation.options['project'] === true) throw new NotRemoteCommandError();
  return withSystem(invocation, {}, async ({ switchServer }) => {
    await switchServer?.(name, kind === 'enable');
    invocation.output.result({ name, done: kind }, () => `"${name}" was ${kind}d at the server`);
    return 0;
  });
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
 * was not written is no help. Undefined where the file itself is wrong.
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

/** `servers accept NAME`: what its server made of its tools counts from now on. */
export async function acceptTools(
  invocation: Invocation,
  [name = '', ...tools]: readonly string[],
): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async ({ fleet }) => {
    const accepted = await fleet.acceptTools(name, tools.length > 0 ? tools : undefined);
    output.result({ name, accepted }, () =>
      accepted.length === 0
        ? `No tool of "${name}" has changed.`
        : accepted.map((change) => `accepted: ${describeChange(change)}`).join('\n'),
    );
    return 0;
  });
}

/** `servers diff NAME`: what its server made of its tools, beside what was accepted. */
export async function diffTools(invocation: Invocation, name: string): Promise<number> {
  const { output } = invocation;
  const { describeDiffs } = await import('./diff-tools.ts');
  return withSystem(invocation, {}, async ({ fleet }) => {
    const diffs = await fleet.diffTools(name);
    output.result(diffs, () =>
      diffs.length === 0 ? `No tool of "${name}" has changed.` : describeDiffs(diffs, output.paint),
    );
    if (diffs.length > 0) output.note(`\nTo allow it: tutti servers accept ${name} [TOOL]`);
    return 0;
  });
}

/** What a tool has of its own that is another now. */
export function describeChange({ tool, fields, isLessCareful }: ToolChange): string {
  const meaning = isLessCareful ? ', asks for less care' : '';
  return `${singleLine(tool)} (${fields.join(', ')}${meaning})`;
}

/** A server may take this long to start again, and each process answers when it has. */
const answerLimitMs = 60_000;

export async function restartServer(invocation: Invocation, name: string): Promise<number> {
  const { io, flags, output } = invocation;
  const { restartEverywhere } = await io.compose();
  const { processes, answers } = await output.during(
    `Waiting for "${name}" to start again`,
    restartEverywhere({ flags, env: io.env, cwd: io.cwd }, name, answerLimitMs),
  );
  const restarted = answers.filter(({ isDone }) => isDone).length;
  if (restarted === 0) {
    // A process elsewhere may know servers that this folder does not, so it is asked first.
    const known = (await openFiles(invocation)).entries.map((entry) => entry.name);
    if (!known.includes(name)) throw new UnknownNameError('server', name, known);
  }
  output.result({ name, processes, restarted, answers }, () =>
    processes === 0
      ? 'No Tutti process runs on this data directory, so there is nothing to restart.'
      : `${restarted} of ${processes} running Tutti processes restarted "${name}".`,
  );
  for (const { pid, isDone, message } of answers) {
    if (!isDone) output.note(`process ${pid}: ${message}`);
  }
  return processes > 0 && restarted < processes ? 1 : 0;
}

const usualLines = 100;

export async function showLogs(invocation: Invocation, name: string): Promise<number> {
  const { output } = invocation;
  const limit = limitOption(invocation, usualLines);
  return withSystem(invocation, {}, async ({ fleet }) => {
    const lines = await fleet.logs(name, limit);
    if (lines.length === 0) output.note(`"${name}" wrote nothing to standard error`);
    output.result({ name, lines }, () => lines.join('\n'));
    return 0;
  });
}
