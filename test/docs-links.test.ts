import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.includes('/content/') && existsSync(path));

it('has no page with a link to a file that is not there', () => {
  expect(pages.length).toBeGreaterThan(20);
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !existsSync(join(dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});

it('names no path of one machine', () => {
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  // A sandbox calls its own work folder "/work": only the folders beside a checkout give a machine away.
  const machinePath = /(?:^|[^A-Za-z0-9_./-])\/(?:work\/(?:main|shared)\b|root\/[a-z.])/;
  const found = tracked.filter(
    (path) =>
      /\.(?:md|ts|js|json|sh|yaml)$/.test(path) &&
      existsSync(path) &&
      path !== 'test/docs-links.test.ts' &&
      machinePath.test(readFileSync(path, 'utf8')),
  );
  expect(found).toEqual([]);
});
