import { describe, expect, it } from 'vitest';
import { ancestorsOf, seatbeltProfile } from './seatbelt-profile.ts';

const profile = seatbeltProfile({ workFolder: '/private/var/w', readable: ['/opt/python-3.13'] });

describe('the profile of a program on macOS', () => {
  it('denies what it does not name, the network first of all', () => {
    const [version, first, second] = profile.split('\n');
    expect([version, first, second]).toEqual(['(version 1)', '(deny default)', '(deny network*)']);
    expect(profile).not.toMatch(/\(allow (?:default|network|mach-lookup)/);
  });

  it('lets it write its work folder and devices, and nothing else', () => {
    const writes = profile.split('\n').filter((line) => line.startsWith('(allow file-write'));
    expect(writes).toEqual([
      '(allow file-write* (subpath "/private/var/w"))',
      expect.stringMatching(/^\(allow file-write-data (?:\(literal "\/dev\/\w+"\) ?)+\)$/),
    ]);
  });

  it('names no folder of a user', () => {
    expect(profile).not.toContain('/Users');
    expect(profile).not.toContain('"/Volumes');
  });

  it('lets folders above be looked up, not listed', () => {
    const line = profile.split('\n').find((text) => text.startsWith('(allow file-read-metadata'));
    expect(line).toContain('(literal "/opt")');
    expect(line).not.toContain('subpath');
    expect(ancestorsOf(['/a/b/c', '/a/d'])).toEqual(['/', '/a', '/a/b']);
  });

  it('holds whatever a path contains', () => {
    const odd = seatbeltProfile({ workFolder: '/w"))(allow default)("\\', readable: [] });
    expect(odd).toContain(String.raw`(subpath "/w\"))(allow default)(\"\\")`);
  });
});
