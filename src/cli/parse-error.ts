import type { CommanderError } from 'commander';
import { nearest } from '../kernel/index.ts';
import { commands } from './command-table.ts';

/** The parser's complaint about a command line as one of our sentences, with what was probably meant. */
export function describeParseError(
  { code, message }: Pick<CommanderError, 'code' | 'message'>,
  argv: readonly string[],
): string {
  const name = typedCommand(argv);
  const operands = operandsOf(name);
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(firstOperand(argv) ?? '', argv);
    case 'commander.missingArgument': {
      const missing = /'(\w+)'/.exec(message)?.[1] ?? '';
      return `"${name}" wants ${operands}, and ${missing.toUpperCase()} is missing`;
    }
    case 'commander.excessArguments': {
      const got = /got \d+: (.*)\.$/s.exec(message)?.[1]?.replaceAll(', ', ' ') ?? '';
      if (operands === '') return `"${name}" takes no arguments, and got "${got}"`;
      const advice = operands === '[QUERY]' ? ': put words that belong together in quotes' : '';
      return `"${name}" takes ${operands}, and got "${got}"${advice}`;
    }
    default: {
      const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
      return `${text.charAt(0).toUpperCase()}${text.slice(1)}${dashesMissing(code, argv)}`;
    }
  }
}

/** The command of a command line that may be wrong in every other respect. */
export function typedCommand(argv: readonly string[]): string {
  const word = firstOperand(impliedCommand(argv));
  return commands.find(({ name }) => name === word)?.name ?? '';
}

/** `argv`: the words that may have been meant as a message. */
export function unknownCommand(word: string, argv: readonly string[] = []): string {
  const meant = nearest(word, [...commands.map(({ name }) => name), 'version']);
  const start = `There is no command "${word}".`;
  if (meant !== undefined) {
    return `${start} Did you mean "${meant === 'version' ? '--version' : meant}"?`;
  }
  const said = argv.filter((arg) => !arg.startsWith('-'));
  if (said.length === 0) return start;
  // A single word is read as a command, in quotes too.
  const message = said.length === 1 ? `ask ${word}` : `"${said.join(' ')}"`;
  return `${start} To ask for it in words: tutti ${message}`;
}

/** `<tool> [arguments...]` as help shows it, in the words of our errors: `TOOL [ARGUMENTS…]`. */
function operandsOf(command: string): string {
  const operands = commands.find(({ name }) => name === command)?.operands ?? '';
  return operands
    .replaceAll(/<(\w+)>/g, '$1')
    .replaceAll('...', '…')
    .toUpperCase();
}

function dashesMissing(code: string, argv: readonly string[]): string {
  const at = argv.indexOf('add');
  const isProgram = argv[at - 1] === 'servers' && !(argv[at + 2] ?? '-').startsWith('-');
  if (code !== 'commander.unknownOption' || !isProgram || argv.includes('--')) return '';
  const [name = '', ...command] = argv.slice(at + 1);
  return `. Put -- before the command of the server: tutti servers add ${name} -- ${command.join(' ')}`;
}

/** Options in front of a message that take the next word as their value. */
const valued = new Set([
  '--server',
  '--home',
  '--root',
  '--set',
  '--log-level',
  '--session',
  '--attach',
]);

/**
 * The command line with its implied command: `tutti` is `tutti chat`, and `tutti "a message"` is
 * `tutti ask "a message"`. A single word stays what it is: more likely a command with a slip in it.
 */
export function impliedCommand(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['chat'];
  const first = firstOperand(argv);
  const isMessage = first !== undefined && !/^[a-z][\w-]*$/i.test(first);
  return isMessage ? ['ask', ...argv] : argv;
}

/** The first word that is neither an option nor the value of one. */
function firstOperand(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return argv[at + 1];
    if (!word.startsWith('-') || word === '-') return word;
    if (valued.has(word)) at += 1;
  }
  return undefined;
}
