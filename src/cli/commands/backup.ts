import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { pluralize } from '../../kernel/index.ts';
import { createCallContext, type Invocation, withSystem } from '../invocation.ts';
import { failureOf, showReport } from '../report-failure.ts';

export async function backUp(invocation: Invocation): Promise<number> {
  const { io, output, operands, options } = invocation;
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const target = resolve(io.cwd, operands[0] ?? `tutti-backup-${stamp}.db`);
  return withSystem(invocation, {}, async (system) => {
    const backup = await system.backup(target, { force: options['force'] === true });
    output.result(
      backup,
      () => `The database was copied to ${backup.path} (${backup.bytes} bytes)`,
    );
    return 0;
  });
}

const tools = ['review_code', 'scan_security'];

const withBaseline = z.object({
  baseline: z.object({ findings: z.record(z.string(), z.array(z.string())) }),
});

type Findings = Record<string, string[]>;

/** Accepts what `review_code` and `scan_security` find today, so that they list only what comes later. */
export async function acceptBaseline(invocation: Invocation): Promise<number> {
  const { io, output, operands } = invocation;
  const target = join(io.cwd, '.tutti', 'baseline.json');
  return withSystem(invocation, {}, async ({ catalogue }) => {
    let findings: Findings = {};
    for (const tool of tools) {
      const args = { path: operands[0] ?? '.', baseline: 'create' };
      const call = catalogue.callTool(`code__${tool}`, args, createCallContext(io));
      const result = await output.during(`Waiting for code.${tool}`, call);
      if (result.isError === true) {
        return showReport(failureOf(tool, result), { io, isJson: output.isJson });
      }
      findings = merge(findings, withBaseline.parse(result.structuredContent).baseline.findings);
    }
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, `${JSON.stringify({ version: 1, findings }, null, 2)}\n`);
    const total = Object.values(findings).flat().length;
    output.result(
      { path: target, findings: total },
      () =>
        `${pluralize(total, 'finding')} accepted in .tutti/baseline.json; reviews and scans list only new ones.`,
    );
    return 0;
  });
}

/** Both tools may report the same finding, and it counts once. */
function merge(first: Findings, second: Findings): Findings {
  const files = [...new Set([...Object.keys(first), ...Object.keys(second)])].sort();
  return Object.fromEntries(
    files.map((file) => {
      const [have = [], more = []] = [first, second].map((found) =>
        Object.hasOwn(found, file) ? found[file] : undefined,
      );
      const left = [...have];
      const added = more.filter((key) => {
        const at = left.indexOf(key);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
      return [file, [...have, ...added].sort()];
    }),
  );
}
