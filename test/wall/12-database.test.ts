import { expect, it } from 'vitest';
import { aWall, rpcOf } from '../support/wall/a-wall.ts';

const wall = aWall();

const payloads: Readonly<Record<string, string>> = {
  'CVE-2026-42208 a quote': "' OR '1'='1",
  'CVE-2026-42208 a comment': "x' OR 1=1 --",
  'CVE-2026-42208 a union': "x' UNION SELECT * FROM sqlite_master --",
  'CVE-2026-42208 a second statement': "x'; DROP TABLE runs; --",
  'CVE-2026-14471 a double quote': 'x" OR ""="',
  'CVE-2026-14471 a wildcard': '%',
  'CVE-2026-14471 another wildcard': '_',
  'CVE-2026-14471 a sort': 'created_at DESC; ATTACH DATABASE "/tmp/x" AS y',
  'CVE-2026-55405 a path of a filter': '$.a") OR 1=1 --',
  'CVE-2026-55405 an operator': '{"$ne":null}',
  'a NUL': 'x\0y',
  'a very long text': "'".repeat(10_000),
};

it.each(Object.entries(payloads))('finds nothing by %s', async (_what, text) => {
  const calls = [
    { name: 'workflow__get_run', arguments: { run_id: text } },
    { name: 'workflow__read_artifact', arguments: { id: text } },
    { name: 'workflow__list_runs', arguments: { status: text } },
    { name: 'workflow__list_runs', arguments: { status: [text], limit: text } },
    { name: 'admin__cancel_task', arguments: { run_id: text, task_id: text, id: text } },
    { name: 'workspace__undo_changes', arguments: { change_id: text, id: text } },
  ];
  for (const call of calls) {
    for (const answer of [
      await wall.stateless('tools/call', call),
      await wall.inSession('tools/call', call),
    ]) {
      const { error, result } = rpcOf(answer) as { error?: object; result?: { isError?: boolean } };
      expect(error !== undefined || result?.isError === true, answer.text).toBe(true);
      expect(answer.text).not.toMatch(/internal\.bug|SQLITE_ERROR|CREATE TABLE|syntax error/i);
    }
  }
  expect(
    rpcOf(await wall.stateless('tools/call', { name: 'workflow__list_runs', arguments: {} })),
  ).toHaveProperty('result');
});
