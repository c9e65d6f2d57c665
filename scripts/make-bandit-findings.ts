/**
 * Writes test/data/security/bandit-findings.json: what Debian's bandit finds in the Python cases
 * beside it. Run after changing a case: `node scripts/make-bandit-findings.ts`.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { banditVersion, runBandit } from '../test/support/run-bandit.ts';

const folder = fileURLToPath(new URL('../test/data/security/python', import.meta.url));
const target = new URL('../test/data/security/bandit-findings.json', import.meta.url);

const version = banditVersion();
if (version === undefined) throw new Error('bandit is not installed (Debian package "bandit")');

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .sort();
const lines = [...runBandit(folder, files)].map(
  ([file, findings]) =>
    `    ${JSON.stringify(file)}: ${JSON.stringify(findings.map(({ test, line }) => `${test}:${line}`))}`,
);
writeFileSync(target, `{\n  "bandit": "${version}",\n  "files": {\n${lines.join(',\n')}\n  }\n}\n`);
console.log(`${files.length} files, bandit ${version}`);
