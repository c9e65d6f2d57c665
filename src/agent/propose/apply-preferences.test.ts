import { describe, expect, it } from 'vitest';
import { anEntry, readOnly } from '../../../testkit/agent/an-agent.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Json, Plan, Step } from '../../contract/plan/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import { needsModelMetaKey } from '../../contract/tool/index.ts';
import { applyPreferences, noteOnPreferences, preferencesUsed } from './apply-preferences.ts';

function anEntryWith(name: string, properties: object, meta?: object): CatalogueEntry {
  const entry = anEntry(name, readOnly);
  const inputSchema = { type: 'object', properties };
  return { ...entry, tool: { ...entry.tool, inputSchema, ...(meta && { _meta: { ...meta } }) } };
}

const text = { type: 'string' };
const entries = [
  anEntryWith('code.format_code', {
    path: text,
    language: text,
    line_length: { type: 'integer', minimum: 20, maximum: 320 },
    indent: { enum: ['tabs', '2 spaces'] },
    quotes: { enum: ['single', 'double'] },
  }),
  anEntryWith('code.generate_tests', { code: text, code_file: text, test_framework: text }),
  anEntryWith(
    'code.generate_code',
    { description: text, code: text, language: { enum: ['python', 'typescript'] } },
    { [needsModelMetaKey]: true },
  ),
  anEntryWith('code.review_code', { path: text, language: text }),
  anEntryWith('workspace.read_file', { path: text }),
  anEntryWith('exec.run_tests', { path: text, framework: { enum: ['auto', 'pytest', 'vitest'] } }),
  anEntryWith('far.tidy', {
    file: text,
    max_line_length: { type: 'number' },
    semi: { type: 'boolean' },
  }),
];

function liking(of: string, value: string, parts: Partial<Preference> = {}): Preference {
  return {
    topic: of,
    text: value,
    choice: { of, value },
    learnedAt: '2026-11-17T09:00:00.000Z',
    origin: 'statement',
    evidence: `I prefer ${value}`,
    state: 'active',
    ...parts,
  };
}

const planOf = (...steps: Step[]): Plan => ({ version: 1, steps });
const aStep = (tool: string, args: Record<string, Json> = {}, id = 'a'): Step => ({
  id,
  tool,
  args,
});

function filled(step: Step, ...preferences: Preference[]): Step['args'] {
  return applyPreferences(planOf(step), { entries, preferences }).steps[0]?.args;
}

describe('an argument that the user left open', () => {
  it.each<[tool: string, of: string, value: string, expected: Record<string, Json>]>([
    ['code.format_code', 'line width', '100', { line_length: 100 }],
    ['code.format_code', 'indentation', 'tabs', { indent: 'tabs' }],
    ['code.format_code', 'quotes', 'single quotes', { quotes: 'single' }],
    ['far.tidy', 'line width', '100', { max_line_length: 100 }],
    ['far.tidy', 'semicolons', 'no semicolons', { semi: false }],
    ['code.generate_code', 'programming language', 'TypeScript', { language: 'typescript' }],
    ['exec.run_tests', 'tests', 'Vitest', { framework: 'vitest' }],
  ])('of %s follows the preferred %s %s', (tool, of, value, expected) => {
    expect(filled(aStep(tool), liking(of, value))).toEqual(expected);
  });

  it.each<[why: string, step: Step, preference: Preference]>([
    ['was given', aStep('code.format_code', { line_length: 80 }), liking('line width', '100')],
    ['does not take the value', aStep('code.format_code'), liking('line width', '999')],
    ['is of no such choice', aStep('code.format_code'), liking('indentation', '4 spaces')],
    [
      'is of what exists',
      aStep('code.review_code', { path: 'a.py' }),
      liking('programming language', 'Rust'),
    ],
    [
      'is of what is changed',
      aStep('code.generate_code', { code: 'x' }),
      liking('programming language', 'Python'),
    ],
    ['is of another tool', aStep('code.unknown'), liking('line width', '100')],
    [
      'has no value',
      aStep('code.format_code'),
      { ...liking('line width', '1'), choice: undefined },
    ],
  ])('stays where it %s', (_why, step, preference) => {
    expect(filled(step, preference)).toEqual(step.args);
  });

  it('follows what is preferred for the language of the file, and not for another or an unknown one', () => {
    const preferences = [
      liking('line width', '79', { language: 'python' }),
      liking('line width', '120'),
      liking('tests', 'pytest', { language: 'python' }),
      liking('tests', 'vitest', { language: 'javascript' }),
    ];
    const width = (path: string) =>
      filled(aStep('code.format_code', { path }), ...preferences)?.['line_length'];
    expect([width('a.py'), width('a.ts'), width('src')]).toEqual([79, 120, 120]);
    const framework = (code_file: string) =>
      filled(aStep('code.generate_tests', { code_file }), ...preferences)?.['test_framework'];
    expect([framework('a.py'), framework('b.ts'), framework('c.go')]).toEqual([
      'pytest',
      'vitest',
      undefined,
    ]);
    const chained = planOf(
      aStep('workspace.read_file', { path: 'x/a.py' }, 'read'),
      aStep('code.generate_tests', { code: '${read.content}' }, 'tests'),
    );
    expect(applyPreferences(chained, { entries, preferences }).steps[1]?.args).toEqual({
      code: '${read.content}',
      test_framework: 'pytest',
    });
  });

  it('follows what is said of the project before what is said of everything', () => {
    const preferences = [
      liking('line width', '120'),
      liking('line width', '79', { project: '/work' }),
    ];
    expect(filled(aStep('code.format_code'), ...preferences)).toEqual({ line_length: 79 });
  });

  it('is filled instead of being asked for', () => {
    const plan: Plan = {
      ...planOf(aStep('code.generate_code', { description: 'x', language: '${input.language}' })),
      input: { language: { type: 'string' } },
    };
    const preferences = [liking('programming language', 'TypeScript')];
    const applied = applyPreferences(plan, { entries, preferences });
    expect(applied.steps[0]?.args).toEqual({ description: 'x', language: 'typescript' });
    expect(applied.input).toBeUndefined();
  });
});

describe('what a plan owes to preferences', () => {
  const now = Date.parse('2026-11-18T12:00:00.000Z');
  const noteOn = (preference: Preference): string => {
    const context = { entries, preferences: [preference] };
    const plan = applyPreferences(planOf(aStep('code.format_code', { path: 'a.py' })), context);
    return noteOnPreferences(preferencesUsed(plan, context), now);
  };

  it('is told with the words of the user and the day', () => {
    const width = liking('line width', '100');
    expect(noteOn(width)).toBe(
      'line_length=100, because you said "I prefer 100" yesterday. First used here.',
    );
    expect(noteOn({ ...width, acceptedAt: '2026-11-17T10:00:00.000Z' })).toBe(
      'line_length=100, because you said "I prefer 100" yesterday.',
    );
    const evidence = 'a.py was changed from 4 spaces to tabs';
    expect(
      noteOn(liking('indentation', 'tabs', { origin: 'edit', evidence, state: 'suggested' })),
    ).toBe(`indent=tabs, because ${evidence} (yesterday). Yes keeps it for later.`);
    expect(noteOn(liking('tests', 'pytest'))).toBe('');
  });
});
