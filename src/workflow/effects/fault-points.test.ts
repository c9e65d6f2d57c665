import { expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { effectFaultPoints } from './index.ts';
import { aWorkbench, gives } from '../../../testkit/workflow/effects/a-workbench.ts';
import { leave } from '../../../testkit/workflow/effects/left-rows.ts';

it('steps pass every fault point there is, and no other', async () => {
  const passed = new Set<string>();
  const bench = aWorkbench(
    { 's.t': { run: () => gives({ text: 'x'.repeat(100_000) }) } },
    { home: aDirectory(), faultPoint: (name) => passed.add(name) },
  );
  await bench.ask({});
  await bench.call({ step: 'b' });
  await leave(bench, { state: 'dispatched' });
  await bench.call({});
  expect([...passed].toSorted()).toEqual(effectFaultPoints.toSorted());
});
