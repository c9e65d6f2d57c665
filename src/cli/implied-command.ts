/** Options in front of a message that take the next word as their value. */
const valued = new Set(['--home', '--root', '--set', '--log-level', '--session', '--attach']);

/**
 * The command line with the command that nobody typed: `tutti` is `tutti chat`, and `tutti "a message"` is
 * `tutti ask "a message"`. A single word stays what it is: more likely a command with a slip in it.
 */
export function impliedCommand(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['chat'];
  const first = firstOperand(argv);
  const isMessage = first !== undefined && !/^[a-z][\w-]*$/i.test(first);
  return isMessage ? ['ask', ...argv] : argv;
}

/** The first word that is neither an option nor the value of one. */
export function firstOperand(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return argv[at + 1];
    if (!word.startsWith('-') || word === '-') return word;
    if (valued.has(word)) at += 1;
  }
  return undefined;
}
