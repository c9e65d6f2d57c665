/**
 * Runs the `console` blocks of a documentation page as a reader would: one shell, from top to bottom, each command with the output the page
 * shows. In expected output a line `…` stands for any number of lines, `…` within a line for any text. Durations may differ, and so
 * may run ids: an id on the page stands for the one that was printed in its place.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './run-tutti.ts';

export interface ConsoleStep {
  /** As typed; continuation lines (`> `) are part of it. */
  readonly command: string;
  readonly expected: readonly string[];
}

export function parseConsoleBlocks(page: string): ConsoleStep[] {
  const blocks = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  return blocks.flatMap(parseBlock);
}

function parseBlock(block: string): ConsoleStep[] {
  const steps: { command: string; expected: string[] }[] = [];
  for (const line of block.split('\n').slice(0, -1)) {
    const step = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] });
    else if (/^>(?: |$)/.test(line) && step?.expected.length === 0) {
      step.command += `\n${line.slice(2)}`;
    } else step?.expected.push(line);
  }
  // Pages separate commands with blank lines, which are not output.
  for (const { expected } of steps) while (expected.at(-1) === '') expected.pop();
  return steps;
}

/** Runs the steps in `folder` and describes each whose output differs from the page. */
export function followPage(steps: readonly ConsoleStep[], folder: string): string[] {
  const shell = openShell(folder);
  const ids = new Map<string, string>();
  return steps.flatMap((step) => {
    const output = shell(withKnownIds(step.command, ids));
    const isEqual = matchOutput(step.expected, output, ids);
    return isEqual
      ? []
      : [`$ ${step.command}\n--- page\n${step.expected.join('\n')}\n--- output\n${output}`];
  });
}

const runId = String.raw`\b1m[0-9a-z]{16}\b`;
const duration = String.raw`\b\d+(?:\.\d+)? (?:ms|s|min)\b`;

/** Printed only where a command takes longer than a moment. */
const waitNotice = /^Waiting for .* …\n/gm;

function withKnownIds(command: string, ids: ReadonlyMap<string, string>): string {
  return command.replaceAll(new RegExp(runId, 'g'), (id) => ids.get(id) ?? id);
}

/** Records in `ids` which printed id each id of the page stands for. */
export function matchOutput(
  expected: readonly string[],
  output: string,
  ids: Map<string, string>,
): boolean {
  const names: string[] = [];
  const source = expected.map((line) => linePattern(line, names)).join('');
  const text = output.replaceAll(waitNotice, '').trimEnd();
  const match = new RegExp(`^${source}$`).exec(text === '' ? '' : `${text}\n`);
  if (match) for (const [index, id] of names.entries()) ids.set(id, match[index + 1] ?? '');
  return match !== null;
}

/** The pattern of one line; a new run id becomes a group, whose number is its position in `names`. */
function linePattern(line: string, names: string[]): string {
  if (line.trim() === '…') return String.raw`(?:.*\n)*?`;
  const tokens = line.trimEnd().split(new RegExp(`(…|${runId}|${duration})`));
  const pattern = tokens.map((token, index) => {
    // Every other token is one that the split looked for.
    if (index % 2 === 0) return RegExp.escape(token);
    if (token === '…') return '.*?';
    if (!token.startsWith('1m')) return String.raw`[\d.]+ (?:ms|s|min)`;
    if (!names.includes(token)) {
      names.push(token);
      return '([0-9a-z]{18})';
    }
    return `\\${names.indexOf(token) + 1}`;
  });
  return String.raw`${pattern.join('')} *\n`;
}

/** A shell whose working directory and variables carry over from one command to the next. */
function openShell(folder: string): (command: string) => string {
  const bin = join(folder, '.bin');
  const work = join(folder, 'work');
  for (const path of [bin, work]) mkdirSync(path);
  const tutti = join(bin, 'tutti');
  writeFileSync(tutti, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(tutti, 0o755);
  const state = join(folder, '.state');
  writeFileSync(state, '');
  let cwd = work;
  return (command) => {
    const script = `. '${state}'\n${command}\nprintf '%s' "$PWD" > '${folder}/.cwd'\nexport -p > '${state}'\n`;
    const ended = spawnSync('bash', ['-c', `exec 2>&1 </dev/null\n${script}`], {
      cwd,
      env: {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        HOME: folder,
        TUTTI_MODELS_AUTODETECT: 'false',
        GIT_CONFIG_GLOBAL: '/dev/null',
        LANG: 'C.UTF-8',
      },
      encoding: 'utf8',
      timeout: 120_000,
    });
    cwd = spawnSync('cat', [join(folder, '.cwd')], { encoding: 'utf8' }).stdout || cwd;
    return ended.stdout;
  };
}
