import { LockfileMalformedError } from '../../errors.ts';
import type { LockedPackage, ParsedLockfile, SkippedPackage } from '../locked-package.ts';

interface Replacement {
  readonly name: string;
  readonly version: string | undefined;
}

/** `go.mod`: `require` with `// indirect`, and `replace` applied. */
export function parseGoMod(text: string, path: string): ParsedLockfile {
  const required: { name: string; version: string; line: number; direct: boolean }[] = [];
  const replaced = new Map<string, Replacement>();
  let block = '';
  text.split(/\r?\n/).forEach((raw, index) => {
    const isIndirect = /\/\/\s*indirect\b/.test(raw);
    const words = raw
      .replace(/\/\/.*$/, '')
      .trim()
      .split(/\s+/);
    if (words[0] === '' || (words[0] === ')' && block !== '')) {
      if (words[0] === ')') block = '';
      return;
    }
    if (words[1] === '(' && block === '') {
      block = words[0] ?? '';
      return;
    }
    const [directive, ...rest] = block === '' ? words : [block, ...words];
    if (directive === 'require') {
      const [name, version] = rest.map(unquote);
      if (!name || !version || !/^v\d/.test(version)) {
        throw new LockfileMalformedError(path, index + 1, '"require" needs a module and a version');
      }
      required.push({ name, version, line: index + 1, direct: !isIndirect });
    } else if (directive === 'replace') {
      readReplace(rest.map(unquote), replaced);
    }
  });
  return applyReplacements(required, replaced);
}

function unquote(word: string): string {
  return word.replaceAll('"', '').replaceAll('`', '');
}

/** `old [version] => new [version]`. */
function readReplace(words: readonly string[], replaced: Map<string, Replacement>): void {
  const arrow = words.indexOf('=>');
  const [name, version] = words.slice(0, Math.max(arrow, 0));
  const [newName, newVersion] = words.slice(arrow + 1);
  if (arrow < 1 || name === undefined || newName === undefined) return;
  const key = version === undefined ? name : `${name}@${version}`;
  replaced.set(key, { name: newName, version: newVersion });
}

function applyReplacements(
  required: readonly { name: string; version: string; line: number; direct: boolean }[],
  replaced: ReadonlyMap<string, Replacement>,
): ParsedLockfile {
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  for (const { name, version, line, direct } of required) {
    const other = replaced.get(`${name}@${version}`) ?? replaced.get(name);
    const finalVersion = other ? other.version : version;
    if (finalVersion === undefined) {
      skipped.push({ name, line, reason: `it is replaced by the folder ${other?.name}` });
      continue;
    }
    packages.push({
      ecosystem: 'Go',
      name: other?.name ?? name,
      version: finalVersion.replace(/^v/, ''),
      line,
      direct,
    });
  }
  return { packages, skipped };
}

/** `go.sum` also lists versions that were only considered; it serves where there is no go.mod. */
export function parseGoSum(text: string, path: string): ParsedLockfile {
  const packages: LockedPackage[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '') return;
    const [name, version, hash] = line.trim().split(/\s+/);
    if (!name || !version || !/^v\d/.test(version) || !hash?.startsWith('h1:')) {
      throw new LockfileMalformedError(path, index + 1, 'a line needs a module, version and hash');
    }
    if (version.endsWith('/go.mod')) return;
    packages.push({ ecosystem: 'Go', name, version: version.slice(1), line: index + 1 });
  });
  return { packages, skipped: [] };
}
