import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reachableByOthers } from './reachable-by-others.ts';
import { WrittenTree } from './testing/written-tree.ts';

describe('what others can reach', () => {
  it('is a file below folders that all may enter', () => {
    using tree = new WrittenTree();
    const file = tree.file('a/b/file', '');
    expect(reachableByOthers(file)).toBe(true);
    chmodSync(file, 0o640);
    expect(reachableByOthers(file)).toBe(false);
  });

  it('is nothing below a folder that is closed to them, under whatever name', () => {
    using tree = new WrittenTree();
    const file = tree.file('closed/b/file', '');
    chmodSync(join(tree.root, 'closed'), 0o700);
    symlinkSync(join(tree.root, 'closed/b'), join(tree.root, 'open'));
    expect(reachableByOthers(file)).toBe(false);
    expect(reachableByOthers(join(tree.root, 'open/file'))).toBe(false);
  });

  it('is not what lies behind a link in a closed folder', () => {
    using tree = new WrittenTree();
    const file = tree.file('a/file', '');
    tree.file('closed/x', '');
    symlinkSync(file, join(tree.root, 'closed/link'));
    chmodSync(join(tree.root, 'closed'), 0o700);
    expect(reachableByOthers(join(tree.root, 'closed/link'))).toBe(false);
    expect(reachableByOthers(join(tree.root, 'missing'))).toBe(false);
  });
});
