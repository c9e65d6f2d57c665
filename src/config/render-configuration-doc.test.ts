import { expect, it } from 'vitest';
import { renderConfigurationDoc } from './render-configuration-doc.ts';
import { listSettings } from './setting.ts';

it('describes every setting with its default and its variables', () => {
  const page = renderConfigurationDoc();
  for (const { key, description, variables } of listSettings()) {
    expect(description).toMatch(/^[A-Z`].{10,}\.$/);
    expect(page).toContain(`- **\`${key}\`**: ${description}`);
    for (const name of variables) expect(page).toContain(`\`${name}\``);
  }
});

it('says which settings nothing reads yet', () => {
  expect(renderConfigurationDoc()).toMatch(/`redis_url`\*\*: .* Not used yet\./);
});
