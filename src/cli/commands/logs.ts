import { NotRemoteCommandError, UnknownNameError, UsageError } from '../errors.ts';
import { type Invocation, limitOption, textOption } from '../invocation.ts';
import { cutText, durationMs, formatColumns, type Paint } from '../output.ts';
import { singleLine } from '../printable.ts';
import { type Action, runAction } from '../run-action.ts';
import type { LogLine, LogQuery } from '../../compose/index.ts';

const usualCount = 50;
const answerLimitMs = 5_000;
const maxFieldLength = 300;

const filters = ['follow', 'limit', 'level', 'since', 'run', 'trace'];

const actions: Readonly<Record<string, Action>> = Object.assign(Object.create(null), {
  list: { run: list, takes: [], options: filters },
  level: { run: setLevel, takes: ['LEVEL'], options: [] },
} satisfies Record<string, Action>);

/** `--server` names a server of the log here; an address would be another machine. */
export async function run(invocation: Invocation): Promise<number> {
  if (textOption(invocation, 'server')?.includes('://') === true) throw new NotRemoteCommandError();
  return runAction(invocation, 'logs', actions);
}

async function list(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  const { signal } = io;
  const compose = await io.compose();
  const query = queryOf(invocation, compose.logLevels);
  const limit = limitOption(invocation, usualCount);
  const follows = invocation.options['follow'] === true;
  const file = await compose.logFile(requestOf(invocation));
  const reading = compose.readLog(file, { query, limit, signal });
  const { lines, unreadable, end } = await output.during('Reading the log', reading);
  if (unreadable > 0) output.note(`${unreadable} lines of ${file} are not of this log`);
  const format = (line: LogLine): string => formatLine(line, output.paint);
  if (!follows) {
    output.result(lines, () => lines.map(format).join('\n'));
    if (lines.length === 0) output.note(`No line of ${file} fits.`);
    return 0;
  }
  const show = (line: LogLine): void => {
    io.stdout.write(`${output.isJson ? JSON.stringify(line) : format(line)}\n`);
  };
  lines.forEach(show);
  await compose.followLog(file, { query, from: end, signal, onLine: show });
  return 0;
}

function requestOf({ flags, io: { env, cwd } }: Invocation) {
  return { flags, env, cwd };
}

function queryOf(invocation: Invocation, levels: readonly string[]): LogQuery {
  const level = textOption(invocation, 'level');
  const since = textOption(invocation, 'since');
  const run = textOption(invocation, 'run');
  const trace = textOption(invocation, 'trace');
  const server = textOption(invocation, 'server');
  return {
    ...(level !== undefined && { level: levelOf(level, levels) }),
    ...(since !== undefined && { sinceMs: beginOf(since) }),
    ...(run !== undefined && { run }),
    ...(trace !== undefined && { trace }),
    ...(server !== undefined && { server }),
  };
}

type Level = NonNullable<LogQuery['level']>;

function levelOf(text: string, levels: readonly string[]): Level {
  const lower = text.toLowerCase();
  const name = lower === 'warning' ? 'warn' : lower;
  if (!isLevel(name, levels)) throw new UnknownNameError('level', text, levels);
  return name;
}

function isLevel(name: string, levels: readonly string[]): name is Level {
  return levels.includes(name);
}

/** A time, or how long ago. */
function beginOf(text: string): number {
  const at = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? Date.now() - durationMs('since', text.replace(/ ago$/, '')) : at;
}

async function setLevel(invocation: Invocation, [text = '']: readonly string[]): Promise<number> {
  if (textOption(invocation, 'server') !== undefined) {
    throw new UsageError('"logs level" sets the level of whole processes and takes no --server');
  }
  const { io, output } = invocation;
  const compose = await io.compose();
  const level = levelOf(text, compose.logLevels);
  const setting = compose.setLogLevel(requestOf(invocation), level, answerLimitMs);
  const report = await output.during('Waiting for the running processes', setting);
  const rows = report.answers.map(({ pid, message }) => [`pid ${pid}`, message]);
  output.result(report, () => formatColumns(rows));
  const silent = report.processes - report.answers.length;
  if (report.processes === 0) {
    output.note('No process serves on this data directory. For later ones: logging.level.');
  } else if (silent > 0) output.note(`${silent} of ${report.processes} processes did not answer`);
  return report.processes > 0 && silent === 0 && report.answers.every((one) => one.isDone) ? 0 : 1;
}

/** Members of a line that are shown elsewhere, or identify what `--json` is for. */
const notShown = new Set(['time', 'level', 'msg', 'pid', 'spanId']);

function formatLine(line: LogLine, paint: Paint): string {
  const { time, level, msg } = line;
  const fields = Object.entries(line)
    .filter(([name]) => !notShown.has(name))
    .map(([name, value]) => `${name}=${fieldText(name, value)}`);
  const painters = new Map([
    ['error', paint.red],
    ['warn', paint.yellow],
    ['debug', paint.dim],
  ]);
  const painted = painters.get(level) ?? ((text: string) => text);
  const [start, rest] = [`${time}  ${level.padEnd(5)}  ${msg}`, fields.join(' ')].map(singleLine);
  return `${painted(start ?? '')}${rest === '' ? '' : `  ${paint.dim(rest ?? '')}`}`;
}

function fieldText(name: string, value: unknown): string {
  const text = typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
  return name === 'traceId' ? text.slice(0, 8) : cutText(text, maxFieldLength);
}
