import { expect, it } from 'vitest';
import { renderConfigurationDoc } from '../scripts/render-configuration-doc.ts';
import { listSettings } from '../src/config/setting.ts';

it('describes every setting with its default and its variables', () => {
  const page = renderConfigurationDoc();
  for (const { key, description, variables } of listSettings()) {
    expect(description).toMatch(/^[A-Z`].{10,}\.$/);
    expect(page).toContain(`- **\`${key}\`**: ${description}`);
    for (const name of variables) expect(page).toContain(`\`${name}\``);
  }
});

it('says which settings a project may not set, or only within its folder', () => {
  const page = renderConfigurationDoc();
  for (const { key, variables, traits } of listSettings()) {
    const [, entry = ''] = page.split(`- **\`${key}\`**`);
    const [, , line = ''] = entry.split('\n');
    expect(line).toContain(variables[0]);
    expect(line.endsWith('; not from a project’s file')).toBe(traits.isUserOnly === true);
  }
  expect(page).toContain('flag `--root`; from a project’s file only at or below its folder');
});

it('says which settings nothing reads yet', () => {
  expect(renderConfigurationDoc()).toMatch(/`redis_url`\*\*: .* Not used yet\./);
});
