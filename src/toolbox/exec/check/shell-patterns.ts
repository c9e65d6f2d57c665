import type { CheckFinding, Severity } from './scan-code.ts';

/** What a shell line may do; every pattern runs in linear time. */
interface ShellPattern {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly pattern: RegExp;
}

const patterns: readonly ShellPattern[] = [
  {
    rule: 'malicious/shell-line-backdoor',
    severity: 'critical',
    message: 'A shell line opens a connection and gives it a shell.',
    pattern:
      /\b(?:ba|z|k)?sh\b[^\n]{0,40}>&? ?\/dev\/(?:tcp|udp)\/|\bn(?:c|cat)\b[^\n]{0,40} -[a-z]{0,5}[ec][a-z]{0,5} {1,4}(?:\/bin\/)?(?:ba)?sh\b|mkfifo [^\n]{1,80}\| ?(?:\/bin\/)?(?:ba)?sh\b/,
  },
  {
    rule: 'malicious/crypto-miner',
    severity: 'critical',
    message: 'The code talks to a mining pool or starts a miner.',
    pattern:
      /stratum\+(?:tcp|ssl):\/\/|\bxmrig\b|\bcoinhive\b|\bminexmr\b|\bcryptonight\b|--donate-level\b/i,
  },
  {
    rule: 'malicious/download-and-run',
    severity: 'critical',
    message: 'Text from the network goes straight into a shell.',
    pattern:
      /\b(?:curl|wget)\b[^\n|]{0,300}\| {0,4}(?:sudo {1,4})?(?:\/bin\/)?(?:(?:ba|z|da)?sh|python3?|node|perl)\b/,
  },
  {
    rule: 'malicious/hidden-code',
    severity: 'critical',
    message: 'Code is decoded from unreadable text and run.',
    pattern:
      /\bbase64 {1,4}(?:-d|-D|--decode)\b[^\n|]{0,100}\| {0,4}(?:\/bin\/)?(?:(?:ba|z|da)?sh|python3?|node|perl)\b/,
  },
  {
    rule: 'malicious/mass-destruction',
    severity: 'critical',
    message: 'The root or home folder is deleted, or a disk is overwritten.',
    pattern:
      /\brm {1,4}(?:-{1,2}[\w-]{1,20} {1,4}){1,4}(?:\/|~|\$HOME|\/\*)(?:["'\s;&|*]|$)|\bdd [^\n]{0,80}of=\/dev\/[shnv]|\bmkfs(?:\.\w{1,8})? /m,
  },
  {
    rule: 'malicious/fork-bomb',
    severity: 'critical',
    message: 'Processes are started without end.',
    pattern: /(\w|:) {0,2}\(\) {0,2}\{ {0,2}\1 {0,2}\| {0,2}\1 {0,2}& {0,2}\} {0,2};/,
  },
  {
    rule: 'shell/persistence',
    severity: 'major',
    message: 'The code makes itself start with the machine.',
    pattern: /\bcrontab {1,4}-|\/etc\/cron\.|\/etc\/rc\.local|\bsystemctl {1,4}enable\b/,
  },
  {
    rule: 'shell/credentials',
    severity: 'major',
    message: 'Credentials of the user are read.',
    pattern:
      /\.ssh\/(?:id_\w{1,20}|authorized_keys)|\.aws\/credentials|\.git-credentials|\.netrc\b|\/etc\/shadow\b/,
  },
  {
    rule: 'shell/privileges',
    severity: 'minor',
    message: 'The code wants rights of another user, or gives them away.',
    pattern:
      /(?:^|[;&|(\s])(?:sudo|su|doas|setcap|chroot|nsenter|unshare) |\bchmod {1,4}[ugo]*\+s\b/m,
  },
  {
    rule: 'shell/eval',
    severity: 'minor',
    message: 'Text is run as a command.',
    pattern: /(?:^|[;&|\s])eval\s/m,
  },
];

/** What lines of a shell in this text would do, each pattern reported where it first occurs. */
export function matchShellPatterns(path: string, text: string): CheckFinding[] {
  return patterns.flatMap(({ rule, severity, message, pattern }) => {
    const at = pattern.exec(text)?.index;
    return at === undefined ? [] : [{ rule, severity, message, file: path, ...placeOf(text, at) }];
  });
}

function placeOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: at - lineStart + 1 };
}
