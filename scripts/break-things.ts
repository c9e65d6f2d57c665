/**
 * Breaks what test/data/experience/breakages.yaml says and keeps what the programs really said, so that the tests need none of them.
 * Three variants of a family go to seen.json, which patterns may be written with; two, chosen by a hash, to held-out.json,
 * which is only counted. Usage: node scripts/break-things.ts [family…]
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, homedir, hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

interface Captured {
  readonly family: string;
  readonly variant: number;
  readonly script: string;
  readonly exitCode: number;
  readonly output: string;
}

const folder = resolve('test/data/experience');
const variantMs = 60_000;
const maxOutput = 4_000;
/** Of the beginning and of the end, each. */
const maxKept = 8_000;
const heldOutPerFamily = 2;
const workers = 3;

const families: Readonly<Record<string, readonly string[]>> = parse(
  readFileSync(join(folder, 'breakages.yaml'), 'utf8'),
);
const unseen: readonly string[] = parse(readFileSync(join(folder, 'unseen.yaml'), 'utf8'));
const chosen = process.argv.slice(2);

const seen: Captured[] = [];
const heldOut: Captured[] = [];
const queue = Object.entries({ ...families, unseen }).filter(
  ([family]) => chosen.length === 0 || chosen.includes(family),
);
await Promise.all(Array.from({ length: workers }, work));
const order = queueOrder();
seen.sort(order);
heldOut.sort(order);
const ofKnown = seen.filter(({ family }) => family !== 'unseen');
keep('seen.json', ofKnown);
keep('held-out.json', heldOut);
keep(
  'unseen.json',
  seen.filter(({ family }) => family === 'unseen'),
);

async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [family, scripts] = next;
    const away = family === 'unseen' ? [] : putAway(family, scripts.length);
    for (const [variant, script] of scripts.entries()) {
      const captured = await capture({ family, variant, script });
      if (captured !== undefined) (away.includes(variant) ? heldOut : seen).push(captured);
    }
  }
}

function queueOrder(): (a: Captured, b: Captured) => number {
  const names = [...Object.keys(families), 'unseen'];
  return (a, b) => names.indexOf(a.family) - names.indexOf(b.family) || a.variant - b.variant;
}

/** The variants that are not looked at, the same ones every time. */
function putAway(family: string, count: number): readonly number[] {
  const rank = (variant: number): string =>
    createHash('sha256').update(`${family}/${variant}`).digest('hex');
  const all = Array.from({ length: count }, (_, variant) => variant);
  return all.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, heldOutPerFamily);
}

/** Undefined, with a word on standard error, where nothing broke: the machine lacks something. */
async function capture(
  what: Pick<Captured, 'family' | 'variant' | 'script'>,
): Promise<Captured | undefined> {
  const cwd = mkdtempSync(join(tmpdir(), 'break-'));
  const { exitCode, output } = await runScript(what.script, cwd);
  rmSync(cwd, { recursive: true, force: true });
  if (exitCode === 0) {
    process.stderr.write(`nothing broke: ${what.family} ${what.variant}\n`);
    return undefined;
  }
  return { ...what, exitCode, output: withoutThisMachine(output, cwd) };
}

function runScript(script: string, cwd: string): Promise<{ exitCode: number; output: string }> {
  const env = { ...plainEnvironment(), HELP: join(folder, 'helpers') };
  const child = spawn('bash', ['-c', script], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let head = '';
  let tail = '';
  const add = (chunk: Buffer): void => {
    const room = maxKept - head.length;
    const text = chunk.toString('utf8');
    head += text.slice(0, Math.max(0, room));
    tail = (tail + text.slice(Math.max(0, room))).slice(-maxKept);
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const stop = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  };
  const timer = setTimeout(stop, variantMs);
  return new Promise((settle) => {
    child.on('exit', () => setTimeout(stop, 100));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const number = signal === null ? 0 : constants.signals[signal];
      settle({ exitCode: code ?? 128 + number, output: head + tail });
    });
  });
}

/** Without proxies, registries and colours of this machine. */
function plainEnvironment(): Record<string, string> {
  const path = `${resolve('node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
  return {
    PATH: path,
    HOME: join(tmpdir(), 'break-home'),
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
    PYENV_ROOT: process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'),
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    GOCACHE: join(tmpdir(), 'break-go-cache'),
    GOTOOLCHAIN: 'local',
    PROGRAM: resolve('bin/tutti.js'),
    YAML: resolve('node_modules/yaml'),
  };
}

function withoutThisMachine(output: string, cwd: string): string {
  const names: readonly (readonly [string, string])[] = [
    [cwd, '/home/ada/project'],
    [resolve('.'), '/usr/lib/tutti'],
    [join(tmpdir(), 'break-home'), '/home/ada'],
    [homedir(), '/home/ada'],
    [hostname(), 'host'],
    // The work folder of a sandbox looks like a folder of this machine.
    [join('/work', 'main'), '/work/program'],
  ];
  const plain = names.reduce((text, [name, other]) => text.replaceAll(name, other), output);
  const printable = plain.replaceAll(/[^\P{C}\n\t]/gu, '');
  if (printable.length <= maxOutput) return printable;
  return `${printable.slice(0, maxOutput / 2)}\n…\n${printable.slice(-maxOutput / 2)}`;
}

function keep(name: string, captured: readonly Captured[]): void {
  const path = join(folder, name);
  const others: readonly Captured[] =
    chosen.length === 0 ? [] : JSON.parse(readFileSync(path, 'utf8'));
  const kept = others.filter(({ family }) => !chosen.includes(family));
  writeFileSync(path, `${JSON.stringify([...kept, ...captured], null, 1)}\n`);
}
