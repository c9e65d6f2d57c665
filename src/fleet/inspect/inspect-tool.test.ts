import { describe, expect, it } from 'vitest';
import data from '../../../test/data/poisoned-tools.json' with { type: 'json' };
import type { ToolFlag } from '../../contract/fleet/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { findShadowing } from './find-shadowing.ts';
import { cleanTool, inspectTool } from './inspect-tool.ts';

interface Sample {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly others?: readonly (readonly string[])[];
  readonly half: string;
  readonly expect?: string;
}

function toolOf({ name, title, description, parameters = {} }: Sample): Tool {
  const properties = Object.entries(parameters).map(([key, text]) => [
    key,
    { type: 'string', description: text },
  ]);
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: { type: 'object', properties: Object.fromEntries(properties) },
  };
}

function flagsOf(sample: Sample): readonly ToolFlag[] {
  const tool = toolOf(sample);
  const known = (sample.others ?? []).map(([server = '', name = '']) => ({
    name: server,
    tools: [{ name, inputSchema: {} }],
    isOurs: false,
  }));
  const shadowing = findShadowing([...known, { name: 'tested', tools: [tool], isOurs: false }]);
  return [...inspectTool(tool), ...(shadowing.get('tested') ?? [])];
}

const poisoned: readonly Sample[] = data.poisoned;
const clean: readonly Sample[] = data.clean;

function counts(half: string) {
  const missed = poisoned
    .filter((it) => it.half === half)
    .filter((it) => !flagsOf(it).some(({ kind }) => kind === it.expect))
    .map(({ name }) => name);
  const alarms = clean
    .filter((it) => it.half === half)
    .flatMap((it) => flagsOf(it).map(({ kind }) => `${it.name}: ${kind}`));
  return { missed, alarms };
}

describe('definitions of tools', () => {
  it('are enough to say something', () => {
    expect(poisoned.length).toBeGreaterThanOrEqual(100);
    expect(clean.length).toBeGreaterThanOrEqual(60);
  });

  it('are flagged where they are poisoned, and not where they are clean', () => {
    expect(counts('tuning')).toEqual({ missed: [], alarms: [] });
  });

  it('that the rules were not written for get the same, but for one', () => {
    expect(counts('held out')).toEqual({ missed: ['qr'], alarms: [] });
  });

  it('lose what hides in them, and nothing else', () => {
    for (const sample of clean) {
      const tool = toolOf(sample);
      expect(cleanTool(tool)).toBe(tool);
    }
    for (const sample of poisoned) {
      const shown = cleanTool(toolOf(sample));
      const kinds = inspectTool({ ...shown, name: 'x' }).map(({ kind }) => kind);
      expect(kinds).not.toContain('hidden characters');
      expect(kinds).not.toContain('terminal escapes');
      expect(shown.name).toBe(sample.name);
    }
    const link = 'See \u001B]8;;https://evil.example\u001B\\the docs\u001B]8;;\u001B\\.';
    const tool = { name: 'a', description: link, inputSchema: { enum: ['a\u200Bb'] } };
    expect(cleanTool(tool)).toEqual({ ...tool, description: 'See the docs.' });
  });

  it('take a bounded time, however they are made', () => {
    const long = `${'do not '.repeat(20_000)}${'\u200B'.repeat(20_000)}${'\u001B]'.repeat(20_000)}`;
    let schema: object = { description: long };
    for (let depth = 0; depth < 500; depth += 1) schema = { properties: { a: schema } };
    const started = performance.now();
    inspectTool({ name: long.slice(0, 1_000), description: long, inputSchema: { ...schema } });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
