import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepModelDecision, readModelDecisions } from './local-models.ts';
import { aProject } from '../../testkit/config/folders.ts';

const url = 'http://127.0.0.1:11434/v1';

it('keeps one decision for each address, and none of a damaged file', async () => {
  const home = join(aProject().base, 'data');
  expect(await readModelDecisions(home)).toEqual([]);
  const yes = { url, owner: 'uid:1', isAccepted: true, decidedAt: 'now' };
  await keepModelDecision(home, yes);
  await keepModelDecision(home, { ...yes, url: 'http://127.0.0.1:1234/v1' });
  await keepModelDecision(home, { ...yes, owner: 'uid:2', isAccepted: false });
  expect(await readModelDecisions(home)).toEqual([
    { ...yes, url: 'http://127.0.0.1:1234/v1' },
    { ...yes, owner: 'uid:2', isAccepted: false },
  ]);
  writeFileSync(join(home, 'local-models.json'), '{"models": [{"url": 1}]}');
  expect(await readModelDecisions(home)).toEqual([]);
});
