/**
 * Draws docs/tutti.svg: runs the commands below for real, on the sample project of the demo, and renders what they print as a terminal
 * window. `make picture` runs it.
 */
import { writeFileSync } from 'node:fs';
import { Stage } from '../examples/demo/stage.ts';
import { renderTerminal, type Line } from './render-terminal.ts';

const session: readonly {
  readonly args: readonly string[];
  readonly typed: string;
  readonly lines: number;
}[] = [
  {
    args: ['ask', 'review cart.js and run the tests'],
    typed: 'tutti "review cart.js and run the tests"',
    lines: 8,
  },
  { args: ['ask', '--session', 'last', 'yes'], typed: 'tutti ask --session last yes', lines: 14 },
  {
    args: ['ask', 'format cart.js and save it', '--yes'],
    typed: 'tutti "format cart.js and save it" --yes',
    lines: 21,
  },
];

const stage = new Stage();
try {
  const lines: Line[] = [];
  for (const { args, typed, lines: count } of session) {
    const { output } = await stage.run(args);
    const printed = output.replaceAll(stage.home, '~').trimEnd().split('\n');
    lines.push({ kind: 'command', text: `$ ${typed}` });
    for (const text of printed.slice(0, count)) lines.push({ kind: 'output', text });
    if (printed.length > count) lines.push({ kind: 'output', text: '…' });
    lines.push({ kind: 'output', text: '' });
  }
  writeFileSync('docs/tutti.svg', renderTerminal(lines));
} finally {
  stage.close();
}
