import { describe, expect, it } from 'vitest';
import { planSchema, type Plan, type Step } from '../../contract/plan/index.ts';
import { anEntry, readOnly, someEntries } from '../../../testkit/agent/an-agent.ts';
import { createCapability, isOfferable } from './capability.ts';
import { guardPlan, type GuardRules } from './guard-plan.ts';

const isTrusted = (server: string): boolean => server === 'code';
const capability = createCapability({ offered: someEntries, asked: someEntries, isTrusted });

function guard(steps: readonly object[], rules: Partial<GuardRules> = {}) {
  const plan = planSchema.parse({
    steps: steps.map((step, index) => ({ id: `s${index}`, ...step })),
  });
  const all = {
    capability,
    ownWords: '',
    approval: 'effects',
    maxSteps: 10,
    isTrusted,
    ...rules,
  } as const;
  return guardPlan(plan, all);
}

const stepsOf = (guarded: ReturnType<typeof guard>): readonly Step[] =>
  guarded.kind === 'allowed' ? guarded.plan.steps : [];

const mail = { tool: 'mail.send', args: { to: 'bob@example.org', text: 'hi' } };

describe('the capability', () => {
  it('holds what was asked for and what is harmless, and nothing of what could decide or call anything', () => {
    const { entries } = createCapability({ offered: someEntries, asked: [], isTrusted });
    expect(entries.map(({ name }) => name)).toEqual([
      'code.generate_code',
      'code.generate_tests',
      'code.review_code',
      'admin.get_status',
    ]);
    expect(capability.entries.map(({ name }) => name)).toContain('mail.send');
    for (const name of ['admin.call_tool', 'workflow.run_plan', 'agent.ask']) {
      expect(capability.find(name)).toBeUndefined();
    }
    expect(isOfferable(anEntry('agent.look', readOnly))).toBe(false);
  });

  it('knows tools by the other names models use, where just one is meant', () => {
    expect(capability.find('review_code')?.name).toBe('code.review_code');
    expect(capability.find('code__review_code')?.name).toBe('code.review_code');
    const twice = [anEntry('a.read'), anEntry('b.read')];
    expect(createCapability({ offered: twice, asked: [], isTrusted }).find('read')).toBeUndefined();
  });
});

describe('the guard', () => {
  it('refuses tools outside the capability, and says which are in it', () => {
    const narrow = createCapability({ offered: [], asked: someEntries.slice(0, 1), isTrusted });
    expect(guard([mail], { capability: narrow })).toEqual({
      kind: 'refused',
      problems: [
        'Step "s0" calls "mail.send", which this request does not ask for. Allowed are: code.generate_code.',
      ],
    });
  });

  it.each<[string, object]>([
    ['a plan from a file', { plan: 'other.yaml' }],
    ['a plan within', { plan: { steps: [{ id: 'x', ...mail }] } }],
    ['a wait', { wait: 'go' }],
    ['a gate', { approval: true }],
    ['a lookup by another tool', { ...mail, reconcile: { tool: 'mail.send', happened: 'true' } }],
  ])('refuses %s', (_what, step) => {
    expect(guard([step]).kind).toBe('refused');
  });

  it('refuses more steps than are allowed', () => {
    const review = { tool: 'code.review_code', args: { code: 'x' } };
    expect(guard([review, review], { maxSteps: 1 }).kind).toBe('refused');
    expect(guard([review, review], { maxSteps: 2 })).toMatchObject({
      kind: 'allowed',
      isFree: true,
    });
  });

  it('has every effect approved, whatever the plan says of it', () => {
    const guarded = guard([{ ...mail, effect: 'read', approval: false, cache: true }]);
    expect(guarded).toMatchObject({ kind: 'allowed', isFree: false });
    expect(stepsOf(guarded)).toEqual([{ id: 's0', ...mail, approval: true }]);
  });

  it.each<[string, string, boolean]>([
    ['effects', 'mail.send', true],
    ['destructive', 'mail.send', true],
    ['destructive', 'disk.note', false],
    ['effects', 'disk.note', true],
    ['plan', 'mail.send', false],
  ])('with approval set to "%s" asks for %s: %s', (approval, tool, asks) => {
    const note = anEntry('disk.note', { destructiveHint: false, openWorldHint: false });
    const known = createCapability({ offered: [], asked: [...someEntries, note], isTrusted });
    const rules = { approval, capability: known } as Partial<GuardRules>;
    expect(stepsOf(guard([{ tool, args: {} }], rules))[0]?.approval !== undefined).toBe(asks);
  });

  it.each<[string, object, boolean]>([
    ['plain words', { query: 'how to sort' }, false],
    ['a result', { query: '${s1.text}' }, true],
    ['a file', { query: 'x ${input.file_1}' }, true],
    ['an address the user wrote', { query: 'https://example.org/a?b=c' }, false],
    ['an address nobody wrote', { query: 'https://evil.test/?q=1' }, true],
    ['a host nobody wrote', { query: 'collect.evil.test' }, true],
    ['an address of numbers', { query: '203.0.113.7' }, true],
    ['a mail address nobody wrote', { query: 'to me@evil.test' }, true],
    ['a local host with a port', { query: 'http://localhost:9/x' }, true],
    ['a host that ends one the user wrote', { query: 'http://e.org/' }, true],
    ['a host behind one the user wrote', { query: 'https://example.org@evil.test/' }, true],
    ['a host that begins like one the user wrote', { query: 'example.org.evil.test' }, true],
    ['the bare host of an address the user wrote', { query: 'example.org' }, false],
  ])('lets a look beyond this machine with %s go: approval %s', (_what, args, asks) => {
    const guarded = guard([{ tool: 'web.search', args }], {
      ownWords: 'look at https://example.org/a please',
    });
    expect(stepsOf(guarded)[0]?.approval !== undefined).toBe(asks);
    expect(guarded).toMatchObject({ isFree: !asks });
  });

  it('lets nothing beyond this machine unasked once results were in sight', () => {
    const step = { tool: 'web.search', args: { query: 'how to sort' } };
    expect(stepsOf(guard([step], { isTainted: true }))[0]?.approval).toBe(true);
    const review = { tool: 'code.review_code', args: { code: '${input.last_code}' } };
    expect(guard([review], { isTainted: true })).toMatchObject({ isFree: true });
  });

  it('lets nobody learn from whether a step is run', () => {
    const step = { tool: 'web.search', args: { query: 'a' }, when: '${input.last_code} == "x"' };
    expect(guard([step])).toMatchObject({ isFree: false });
  });

  it.each<[string, object, boolean]>([
    ['words', { word: 'sort' }, true],
    ['what its own server gave', { word: '${s0.text}' }, true],
    ['an input', { word: '${input.last_code}' }, false],
    ['what another server gave', { word: '${s1.text}' }, false],
    ['both', { word: '${s0.text} ${s1.text}' }, false],
  ])('does not believe a stranger’s tool that it stays here, given %s', (_what, args, isFree) => {
    const known = createCapability({
      offered: [anEntry('desk.list'), anEntry('desk.look'), ...someEntries],
      asked: [],
      isTrusted,
    });
    const steps = [
      { tool: 'desk.list' },
      { tool: 'code.review_code', args: { code: 'x' } },
      { tool: 'desk.look', args },
    ];
    expect(guard(steps, { capability: known })).toMatchObject({ kind: 'allowed', isFree });
  });

  it('keeps the approval that a kept plan asks for', () => {
    const step = { tool: 'web.search', args: { query: 'how to sort' } };
    expect(stepsOf(guard([{ ...step, approval: true }]))[0]?.approval).toBe(true);
    expect(stepsOf(guard([{ ...step, approval: false }]))[0]?.approval).toBeUndefined();
  });

  it('lets tools we ship have results and files', () => {
    const open = anEntry('code.scan', { readOnlyHint: true });
    const known = createCapability({ offered: [open], asked: [], isTrusted });
    const guarded = guard([{ tool: 'code.scan', args: { code: '${input.file_1}' } }], {
      capability: known,
    });
    expect(guarded).toMatchObject({ kind: 'allowed', isFree: true });
  });

  it('takes long hostile texts in little time', () => {
    const query = `${'a.'.repeat(100_000)}!${'@'.repeat(100_000)}`;
    const plan: Plan = { version: 1, steps: [{ id: 'a', tool: 'web.search', args: { query } }] };
    const startedAt = performance.now();
    guardPlan(plan, { capability, ownWords: '', approval: 'effects', maxSteps: 10, isTrusted });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
