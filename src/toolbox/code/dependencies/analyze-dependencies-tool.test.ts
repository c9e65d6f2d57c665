import { mkdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isProof } from '../../../../testkit/sample.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { analyzeDependenciesTool } from './analyze-dependencies-tool.ts';
import {
  edgesOf,
  TemporaryProject,
} from '../../../../testkit/toolbox/code/dependencies/temporary-project.ts';

let project: TemporaryProject;

beforeEach(async () => {
  project = await TemporaryProject.create();
});

afterEach(async () => {
  await project.remove();
});

describe('who imports something', () => {
  it.each([
    ['shop/price.py', ['cart.py:1', 'shop/sale.py:2']],
    ['shop.price', ['cart.py:1', 'shop/sale.py:2']],
    ['price', ['cart.py:1', 'shop/sale.py:2']],
    ['shop', ['cart.py:1', 'main.py:1']],
    ['requests', ['cart.py:']],
    ['nothing', []],
  ])('is listed for %s, without pictures', async (imported, importers) => {
    await project.put({
      'cart.py': 'from shop.price import total\nimport requests\n',
      'main.py': 'from shop.sale import run\n',
      'shop/price.py': 'total = 1\n',
      'shop/sale.py': 'import os\nimport shop.price\n',
    });
    const report = await project.analyze({ imported });
    const found = report.importers?.map(({ file, line }) => `${file}:${line ?? ''}`);
    expect(found?.toSorted()).toEqual(importers);
    expect(report).not.toHaveProperty('mermaid');
  });
});

describe('cycles', () => {
  it('are found with one shortest circle each, self-imports too, and the lightest import named', async () => {
    await project.put({
      'a.py': 'import b\nimport c\n',
      'b.py': 'import c\n',
      'c.py': 'import d\nimport a\n',
      'd.py': 'import a\n',
      'self.py': 'import self\n',
      'free.py': 'import a\n',
    });
    const report = await project.analyze();
    expect(report.cycles).toEqual([
      { members: ['a.py', 'b.py', 'c.py', 'd.py'], shortest: ['a.py', 'c.py'] },
      { members: ['self.py'], shortest: ['self.py'] },
    ]);
    expect(report.recommendations[0]).toContain(
      'Break the cycle a.py → c.py → a.py (4 modules hang together)',
    );
    expect(report.recommendations[1]).toBe('self.py imports itself: remove that import.');
    expect(report.svg).toContain('stroke="#d22"');
    expect(report.mermaid).toMatch(/linkStyle [\d,]+ stroke:#d22/);
  });

  it('are not made by types alone', async () => {
    await project.put({
      'a.ts': "import type { B } from './b.ts';",
      'b.ts': "import { a } from './a.ts';",
    });
    expect((await project.analyze()).cycles).toEqual([]);
    await project.put({ 'a.ts': "import { type B, c } from './b.ts';" });
    expect((await project.analyze()).cycles).toHaveLength(1);
  });

  it('between folders are seen when grouped by folder', async () => {
    await project.put({
      'x/a.py': 'import y.b\n',
      'y/b.py': '',
      'y/c.py': 'import x.d\n',
      'x/d.py': '',
      'top.py': 'import x.a\n',
    });
    const byFile = await project.analyze();
    const byFolder = await project.analyze({ group_by: 'folder', pictures: ['mermaid'] });
    expect(byFile.cycles).toEqual([]);
    expect(byFolder.cycles).toEqual([{ members: ['x', 'y'], shortest: ['x', 'y'] }]);
    expect(byFolder.nodes.map(({ id, files }) => `${id} ${files}`)).toEqual(['. 1', 'x 2', 'y 2']);
    expect(byFolder.svg).toBeUndefined();
  });
});

it('measures fan-in, fan-out, instability and depth', async () => {
  await project.put({
    'a.py': 'import b\nimport c\nimport os\n',
    'b.py': 'import c\n',
    'c.py': '',
    'alone.py': '',
  });
  const report = await project.analyze({ pictures: [] });
  expect(report.nodes).toMatchObject([
    { id: 'a.py', imports: 2, imported_by: 0, external: ['os'], instability: 1, depth: 2 },
    { id: 'alone.py', imports: 0, imported_by: 0, instability: 0, depth: 0 },
    { id: 'b.py', imports: 1, imported_by: 1, instability: 0.5, depth: 1 },
    { id: 'c.py', imports: 0, imported_by: 2, instability: 0, depth: 0 },
  ]);
  expect(report.metrics).toMatchObject({
    files: 4,
    edges: 3,
    max_depth: 2,
    average_fan_out: 0.75,
    most_imported: [
      { id: 'c.py', imported_by: 2 },
      { id: 'b.py', imported_by: 1 },
    ],
  });
  expect(report.mermaid).toBeUndefined();
});

describe('the pictures', () => {
  it('survive names made to break them', async () => {
    const name = `we"ird<b> & 'x' #quot; [y] \`z\`; end`;
    await project.put({ [`${name}.js`]: "import './b.js';", 'b.js': '' });
    const { svg = '', mermaid = '' } = await project.analyze();
    expect(svg).toContain('we&quot;ird&lt;b&gt; &amp; &#39;x&#39;');
    expect(svg).not.toContain('<b>');
    expect(mermaid.split('\n')[2]).toMatch(/^ {2}n1\["[\w ./()@+,=$~#;-]+"\]$/);
  });

  it('are the same every time', async () => {
    await project.put({
      'a.py': 'import b\nimport c',
      'b.py': 'import d',
      'c.py': 'import d',
      'd.py': 'import a',
    });
    const [first, second] = [await project.analyze(), await project.analyze()];
    expect(second.svg).toBe(first.svg);
    expect(second.mermaid).toBe(first.mermaid);
  });

  it('group by folder above 200 modules and say so', async () => {
    const files: Record<string, string> = {};
    for (let index = 0; index < 240; index += 1) {
      files[`p${index % 6}/q${index % 3}/m${index}.py`] =
        `import p${(index + 1) % 6}.q${(index + 1) % 3}.m${index + 1}`;
    }
    await project.put(files);
    const report = await project.analyze();
    expect(report.picture_note).toBe('240 modules, drawn as 6 folders');
    expect(report.svg).toContain('240 modules, drawn as 6 folders');
    expect(report.nodes).toHaveLength(240);
  });
});

it('draws the heaviest imports only when even folders have too many', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
  await project.put(
    Object.fromEntries(
      names.map((own) => [
        `${own}/m.js`,
        names.map((other) => (other === own ? '' : `import '../${other}/m.js';`)).join('\n'),
      ]),
    ),
  );
  const report = await project.analyze({ pictures: ['mermaid'] });
  const { picture_note: note, mermaid = '' } = report;
  expect(note).toBe(
    '40 modules, drawn as 40 folders; only the 40 busiest and 500 heaviest edges are shown',
  );
  expect(mermaid.match(/-->/g)).toHaveLength(500);
});

describe('limits', () => {
  it('a folder of 2,000 files (without TUTTI_PROOF 500) takes seconds, however tangled', async () => {
    const count = isProof ? 2_000 : 500;
    const files: Record<string, string> = {};
    for (let index = 0; index < count; index += 1) {
      const targets = [index + 1, (index * 7) % count, (index * 13) % count];
      files[`d${index % 50}/m${index}.js`] = targets
        .map((target) => `import '../d${target % 50}/m${target}.js';`)
        .join('\n');
    }
    await project.put(files);
    const started = performance.now();
    const report = await project.analyze();
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(report.metrics.files).toBe(count);
    expect(report.picture_note).toContain(`${count} modules, drawn as 50 folders`);
  });

  it('a chain of thousands of imports does not exhaust the stack', async () => {
    const files: Record<string, string> = {};
    for (let index = 0; index < 3_000; index += 1)
      files[`m${index}.css`] = `@import "m${index + 1}.css";`;
    files['m3000.css'] = '@import "m0.css";';
    await project.put(files);
    const report = await project.analyze();
    expect(report.cycles[0]?.members).toHaveLength(3_001);
  });

  it.each([
    ['deep.js', `import './x.js';\nf(${'('.repeat(60_000)}1${')'.repeat(60_000)});`],
    ['arrows.js', `import './x.js';\nx = ${'a=>'.repeat(60_000)}1; require('./x.js');`],
    [
      'deep.ts',
      `import './x.js';\nexport {y} from './x.js';\ntype A = ${'B<'.repeat(60_000)}C${'>'.repeat(60_000)};`,
    ],
    ['branches.js', `import './x.js';\nif (a) b;${'else if (a) b;'.repeat(20_000)}`],
    ['deep.py', `import x\nf(${'('.repeat(10_000)}1${')'.repeat(10_000)})`],
  ])('%s, nested beyond reason, is still read', async (name, text) => {
    await project.put({ [name]: text, 'x.js': '', 'x.py': '' });
    const report = await project.analyze();
    expect(report.edges.map(({ from }) => from)).toEqual([name]);
  });

  it('a style sheet made of comments that never end is read in time that grows with its length', async () => {
    await project.put({ 'a.css': `@import "b.css"; ${'/* a'.repeat(200_000)}`, 'b.css': '' });
    const started = performance.now();
    expect(edgesOf(await project.analyze())).toEqual(['a.css:1 > b.css']);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('files that are not text are named and left out', async () => {
    await project.put({ 'a.py': 'import b' });
    await project.put({ 'b.py': Buffer.from([0xff, 0xfe, 0x00]) });
    const report = await project.analyze();
    expect(report.unreadable).toMatchObject([{ file: 'b.py' }]);
  });

  it('a glob is analysed relative to what its files share', async () => {
    await project.put({ 'src/x/a.py': 'from . import b', 'src/x/b.py': '', 'src/y.js': '' });
    expect(edgesOf(await project.analyze({ path: 'src/**/*.py' }))).toEqual(['a.py:1 > b.py']);
    await project.put({ 'src/z/c.py': '' });
    expect(edgesOf(await project.analyze({ path: 'src/**/*.py' }))).toEqual(['x/a.py:1 > x/b.py']);
  });

  it.each([
    ['..', 'code.outside_roots'],
    ['link', 'code.outside_roots'],
    ['nowhere', 'code.no_files'],
    ['empty', 'code.no_files'],
  ])('the path %s is refused', async (path, code) => {
    await symlink(tmpdir(), join(project.folder, 'link'));
    await mkdir(join(project.folder, 'empty'));
    await expect(project.analyze({ path })).rejects.toMatchObject({ code });
  });

  it('ends with the reason of the caller who cancels', async () => {
    await project.put({ 'a.py': '' });
    const tool = analyzeDependenciesTool(aCodeContext([project.folder]));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(tool.call({ path: '.' }, aCallContext({ signal }))).rejects.toThrow('enough');
  });
});
