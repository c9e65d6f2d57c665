import { describe, expect, it } from 'vitest';
import { planSchema } from '../../../contract/plan/index.ts';
import { compilePlan } from '../../plan/index.ts';
import { drawPlan, type PlanFormat } from './draw-plan.ts';

const draw = (plan: object, format: PlanFormat): string =>
  drawPlan(compilePlan(planSchema.parse(plan)), format);

const everything = {
  name: 'Everything <&> "all"',
  steps: [
    { id: 'get', tool: 'files.read' },
    { id: 'pause', sleep: 500, when: 'exists(${get.text})' },
    {
      id: 'each',
      tool: 'files.write',
      forEach: '${get.list}',
      args: { x: '${item}' },
      approval: true,
      onFailure: 'skip',
    },
    { id: 'few', tool: 'files.write', forEach: [1, 2], cache: true },
    { id: 'answer', wait: { signal: 'answer' }, when: true },
    { id: 'gate', approval: { message: 'ok?' }, when: '${answer.yes} && ${each[0].text} == "x"' },
    { id: 'sub', plan: { steps: [{ id: 'one', sleep: '1s' }] }, when: 'exists(${gate})' },
  ],
};

function chain(length: number): object {
  return {
    steps: Array.from({ length }, (_, index) => ({
      id: `s${index}`,
      tool: 'a.b',
      args: { x: index === 0 ? 1 : `\${s${index - 1}}` },
    })),
  };
}

describe('a plan as text', () => {
  it('has a line for each step, moved in by what comes before, with what it needs', () => {
    expect(draw(everything, 'text')).toBe(`Everything <&> "all": 7 steps, 5 edges, longest chain 4
  get        files.read
  few        files.write      for each of 2   cached
  answer     wait for answer  when true
    pause    sleep 500 ms     ← get   when exists(\${get.text})
    each     files.write      ← get   for each \${get.list}   asks for approval   on failure skip
      gate   approval         ← answer, each   when \${answer.yes} && \${each[0].text} == "x"
        sub  plan of 1 step   ← gate   when exists(\${gate})
        │ one  sleep 1s
`);
  });

  it('draws 10,000 steps, and names only some of many that are needed', () => {
    const startedAt = performance.now();
    expect(draw(chain(10_000), 'text').split('\n')).toHaveLength(10_002);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    const steps = Array.from({ length: 20 }, (_, index) => ({ id: `s${index}`, sleep: 1 }));
    const all = { id: 'all', tool: 'a.b', args: { x: steps.map(({ id }) => `\${${id}}`) } };
    expect(draw({ steps: [...steps, all] }, 'text')).toContain(
      '← s0, s1, s2, s3, s4, s5 and 14 more',
    );
  });

  it('shows nothing a terminal would act on', () => {
    const text = draw(
      { goal: 'red \u001b[31m and \u202e back', steps: [{ id: 'a', wait: 'x\u0007y' }] },
      'text',
    );
    expect(text).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

describe('a plan for Mermaid', () => {
  it('has boxes by number, labels in which nothing means anything, and sub-plans within theirs', () => {
    const lines = draw(everything, 'mermaid').split('\n');
    expect(lines[0]).toBe('flowchart TD');
    expect(lines).toContain('  s0["<b>get</b><br/>files.read"]');
    expect(lines).toContain(
      '  s5{{"<b>gate</b><br/>approval<br/>when #36;#123;answer.yes#125; #38;#38; #36;#123;each#91;0#93;.text#125; #61;#61; #34;x#34;"}}',
    );
    expect(lines).toContain('    s6_0(["<b>one</b><br/>sleep 1s"])');
    expect(lines).toContain('  s0 --> s1');
    expect(lines.filter((line) => line.trim() === 'end')).toHaveLength(1);
  });

  it('cannot be broken out of', () => {
    const text = draw(
      { steps: [{ id: 'end', tool: 'x"]; click s0 "javascript:alert(1)" %%<script>`' }] },
      'mermaid',
    );
    expect(text).toContain(
      'x#34;#93;#59; click s0 #34;javascript:alert(1)#34; #37;#37;#60;script#62;#96;',
    );
    expect(text).not.toContain('<script>');
  });
});

describe('a plan as SVG', () => {
  it('is well-formed, has a size, and shows texts as they are', () => {
    const svg = draw(everything, 'svg');
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+" viewBox="0 0 \d+ \d+"/,
    );
    expect(svg).toContain('>Everything &#60;&#38;&#62; &#34;all&#34;</text>');
    expect(openTags(svg)).toEqual([]);
    expect(svg.match(/marker-end/g)).toHaveLength(5);
  });

  it('lets no two boxes overlap, and nothing stand outside', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    const steps = Array.from({ length: 40 }, (_, index) => ({
      id: `step_${index}`,
      tool: `a.${'b'.repeat(random(40))}`,
      args: {
        x: Array.from({ length: Math.min(index, random(4)) }, () => `\${step_${random(index)}}`),
      },
    }));
    const svg = draw({ steps }, 'svg');
    const [width, height] = [
      Number(/width="(\d+)"/.exec(svg)?.[1]),
      Number(/height="(\d+)"/.exec(svg)?.[1]),
    ];
    const boxes = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ].map((match) => match.slice(1).map(Number));
    expect(boxes).toHaveLength(40);
    for (const [index, [x = 0, y = 0, w = 0, h = 0]] of boxes.entries()) {
      expect(x >= 0 && y >= 0 && x + w <= width && y + h <= height).toBe(true);
      for (const [x2 = 0, y2 = 0, w2 = 0, h2 = 0] of boxes.slice(index + 1)) {
        expect(x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y).toBe(true);
      }
    }
  });

  it('survives characters XML does not have', () => {
    const svg = draw({ goal: 'a\uFFFFb\uD800c', steps: [{ id: 'a', sleep: 1 }] }, 'svg');
    expect(svg).toContain('a\uFFFDb\uFFFDc');
  });
});

it.each<[PlanFormat, number]>([
  ['mermaid', 2_001],
  ['svg', 501],
  ['text', 20_001],
])('refuses to draw as %s what has %i steps', (format, steps) => {
  expect(() => draw(chain(steps), format)).toThrow(
    expect.objectContaining({
      code: 'plan.too_large_to_draw',
      message: expect.stringContaining(`${steps} steps`),
    }),
  );
});

it('draws what is just not too large in bounded time', () => {
  const startedAt = performance.now();
  const steps = Array.from({ length: 500 }, (_, index) => ({
    id: `s${index}`,
    tool: 'a.b',
    args: {
      x: [1, 7, 90, 250].filter((back) => back <= index).map((back) => `\${s${index - back}}`),
    },
  }));
  expect(draw({ steps }, 'svg').length).toBeGreaterThan(10_000);
  expect(draw(chain(2_000), 'mermaid').split('\n').length).toBe(4_001);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

/** Tags that are not closed in the right order. */
function openTags(xml: string): string[] {
  const open: string[] = [];
  for (const [, close, name, selfClosed] of xml.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (selfClosed === '/') continue;
    if (close === '/') {
      if (open.pop() !== name) return ['mismatch'];
    } else open.push(name ?? '');
  }
  return open;
}
