import type { ParsedLockfile } from '../../../../src/toolbox/code/vulnerabilities/locked-package.ts';
import { loadLockfileParser } from '../../../../src/toolbox/code/vulnerabilities/read-lockfiles.ts';

/** What the reader for a file of this name makes of a text. */
export async function parseAs(name: string, text: string): Promise<ParsedLockfile> {
  const parser = await loadLockfileParser(name);
  if (!parser) throw new Error(`no parser for ${name}`);
  return parser(text, name);
}

/** `name@version:line`, which is what most cases are about. */
export async function packagesOf(name: string, text: string): Promise<string[]> {
  const { packages } = await parseAs(name, text);
  return packages.map((found) => `${found.name}@${found.version}:${found.line}`);
}
