import { describe, expect, it } from 'vitest';
import { holds, type Setting } from './judge-node.ts';

const setting: Setting = { carriers: new Set(), valuesOf: () => [], select: () => [] };
const subjects = [{ source: 'one' }, { source: '0o777' }, { source: '12' }];

describe('a condition', () => {
  it('holds when one subject fits all of it', () => {
    expect(holds(subjects, { source: /^one$/ }, setting)).toBe(true);
    expect(holds(subjects, { source: /^one$/, below: 20 }, setting)).toBe(false);
    expect(holds(subjects, { source: /2/, below: 20 }, setting)).toBe(true);
    expect(holds(subjects, { below: 12 }, setting)).toBe(false);
  });

  it('reads file modes', () => {
    expect(holds(subjects, { bits: 0o002 }, setting)).toBe(true);
    expect(holds([{ source: '0750' }], { bits: 0o002 }, setting)).toBe(false);
  });

  it('with not holds when no subject fits that', () => {
    expect(holds(subjects, { not: { source: /two/ } }, setting)).toBe(true);
    expect(holds(subjects, { not: { source: /one/ } }, setting)).toBe(false);
    expect(holds([], { not: { source: /one/ } }, setting)).toBe(true);
  });

  it('about what is missing holds only when nothing is there', () => {
    expect(holds([], { missing: true }, setting)).toBe(true);
    expect(holds(subjects, { missing: true }, setting)).toBe(false);
    expect(holds([], { source: /./ }, setting)).toBe(false);
  });
});
