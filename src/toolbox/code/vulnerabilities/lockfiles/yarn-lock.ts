import { LockfileMalformedError } from '../../errors.ts';
import type { LockedPackage, ParsedLockfile, SkippedPackage } from '../locked-package.ts';

interface Block {
  readonly line: number;
  /** The `name@range` requirements that this entry satisfies. */
  readonly descriptors: readonly string[];
  version?: string;
  resolution?: string;
  readonly requires: string[];
}

/**
 * `yarn.lock` of Yarn 1 and of Yarn 2 and later. Both are blocks of indented lines: Yarn 1 writes
 * `key value`, its successor the YAML subset `key: value`; one line reader serves both.
 */
export function parseYarnLock(text: string, path: string): ParsedLockfile {
  const blocks = readBlocks(text, path);
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  const rootKeys: string[] = [];
  const keyOf = new Map(
    blocks.flatMap((block) => block.descriptors.map((name) => [name, keyOfBlock(block)] as const)),
  );
  for (const block of blocks) {
    const requires = block.requires.flatMap((name) => keyOf.get(name) ?? []);
    const [first] = block.descriptors;
    if (first === undefined || first === '__metadata') continue;
    if (block.resolution?.includes('@workspace:')) {
      rootKeys.push(...requires);
      continue;
    }
    const name = packageName(block.resolution ?? first);
    if (block.version === undefined) {
      throw new LockfileMalformedError(path, block.line, `entry "${first}" has no version`);
    }
    if (block.resolution && !/@(npm|patch):/.test(block.resolution)) {
      skipped.push({ name, line: block.line, reason: 'it does not come from the npm registry' });
      continue;
    }
    const key = keyOfBlock(block);
    const { version, line } = block;
    packages.push({ ecosystem: 'npm', name, version, key, requires, line });
  }
  return { packages, skipped, ...(rootKeys.length > 0 ? { rootKeys } : {}) };
}

function keyOfBlock(block: Block): string {
  return String(block.line);
}

/** `@scope/name@npm:^1.0.0` → `@scope/name`; an alias `a@npm:b@1` names the real package `b`. */
function packageName(descriptor: string): string {
  const at = descriptor.indexOf('@', 1);
  if (at < 0) return descriptor;
  const range = descriptor.slice(at + 1);
  const alias = range.startsWith('npm:') ? range.slice('npm:'.length) : '';
  const aliasAt = alias.indexOf('@', 1);
  return aliasAt > 0 && /^[@a-z]/i.test(alias) ? alias.slice(0, aliasAt) : descriptor.slice(0, at);
}

function readBlocks(text: string, path: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  text.split(/\r?\n/).forEach((raw, index) => {
    if (raw.trim() === '' || raw.trimStart().startsWith('#')) return;
    const indent = raw.length - raw.trimStart().length;
    const line = raw.trim();
    const block = blocks.at(-1);
    if (indent === 0) {
      if (!line.endsWith(':')) {
        throw new LockfileMalformedError(path, index + 1, `"${line.slice(0, 60)}" opens no entry`);
      }
      blocks.push({ line: index + 1, descriptors: splitDescriptors(line), requires: [] });
      section = '';
    } else if (!block) {
      throw new LockfileMalformedError(path, index + 1, 'an indented line belongs to no entry');
    } else if (indent === 2) {
      section = line.endsWith(':') ? line.slice(0, -1) : '';
      readField(block, line);
    } else if (/^(optionalD|d)ependencies$/.test(section)) {
      const [name, range] = splitPair(line);
      if (name !== '' && range !== '') block.requires.push(...descriptorsOf(name, range));
    }
  });
  return blocks;
}

function readField(block: Block, line: string): void {
  const [key, value] = splitPair(line);
  if (key === 'version') block.version = value;
  if (key === 'resolution') block.resolution = value;
}

/** A range as it is asked for may stand in the entry's header with or without the `npm:` protocol. */
function descriptorsOf(name: string, range: string): string[] {
  return range.startsWith('npm:') || range.includes(':')
    ? [`${name}@${range}`]
    : [`${name}@${range}`, `${name}@npm:${range}`];
}

function splitDescriptors(header: string): string[] {
  return header
    .slice(0, -1)
    .split(',')
    .map((part) => part.replaceAll('"', '').trim())
    .filter((part) => part !== '');
}

/** `key value`, `key: value`, either side possibly quoted. */
function splitPair(line: string): readonly [string, string] {
  const quoted = /^"([^"]*)":?\s+(.*)$/.exec(line);
  const plain = quoted ?? /^([^\s:"][^\s:]*):?\s+(.*)$/.exec(line);
  return [plain?.[1] ?? '', (plain?.[2] ?? '').replaceAll('"', '').trim()];
}
