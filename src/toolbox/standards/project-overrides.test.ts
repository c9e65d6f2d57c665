import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { McpServer, ServerChange } from '../../contract/server/index.ts';
import { silentLog, type Log, type LogFields } from '../../kernel/index.ts';
import { createStandardLimitsReader } from './index.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import {
  callTool,
  ProjectStandards,
  readText,
} from '../../../testkit/toolbox/standards/project-standards.ts';
import { fingerprintFolder } from './standards-library.ts';

let project: ProjectStandards;

beforeEach(async () => {
  project = await ProjectStandards.create();
});

afterEach(async () => {
  await project.remove();
});

/** A log that keeps its warnings. */
function recordingLog(): { log: Log; warnings: LogFields[] } {
  const warnings: LogFields[] = [];
  return { warnings, log: { ...silentLog, warn: (_, fields) => void warnings.push(fields ?? {}) } };
}

describe('files of the project', () => {
  it('replace texts, add languages, resources and prompts', async () => {
    await project.put(
      'python.md',
      '---\ntitle: Our Python\ndescription: short\n---\n# Python\n\n## Naming\n\nAs we like.\n',
    );
    await project.put('kotlin.md', '# Kotlin here\n\n## Layout\n\nTabs.\n');
    await project.put('prompts/architect.md', 'You design small things.');
    await project.put('prompts/security-officer.md', 'You guard.');
    await project.put('prompts/translate.md', 'Translate {{text|fence}} into {{target}}.');
    await project.put('templates/incident.md', '# Incident report\n');
    const server = project.serve();
    expect(await readText(server, 'standards://python')).toBe(
      '# Python\n\n## Naming\n\nAs we like.\n',
    );
    expect(await readText(server, 'prompts://architect')).toBe('You design small things.\n');
    const titles = new Map((await server.listResources()).map(({ uri, title }) => [uri, title]));
    expect(titles.get('standards://python')).toBe('Our Python');
    expect(titles.get('standards://kotlin')).toBe('Kotlin here');
    expect(titles.get('prompts://security-officer')).toBe('security-officer');
    expect(titles.get('templates://incident')).toBe('Incident report');
    const translate = (await server.listPrompts()).find(({ name }) => name === 'translate');
    expect(translate?.arguments).toMatchObject([
      { name: 'text', required: true },
      { name: 'target', required: true },
    ]);
    const filled = await server.getPrompt(
      'translate',
      { text: 'hi', target: 'French' },
      aCallContext(),
    );
    expect(filled.messages[0]?.content['text']).toBe('Translate ```\nhi\n``` into French.\n');
    expect(await callTool(server, 'get_standard', { language: 'kotlin' })).toMatchObject({
      source: 'project',
      topics: ['Layout'],
    });
    const review = await server.getPrompt(
      'code-review',
      { code: 'x', language: 'kotlin' },
      aCallContext(),
    );
    expect(JSON.stringify(review)).toContain('standards://kotlin');
  });

  it('change single keys of the coding standards, in YAML or JSON', async () => {
    await project.put(
      'coding-standards.yaml',
      'python:\n  line_length: 88\n  naming: {function: camelCase}\n  own_key: yes\n',
    );
    const server = project.serve();
    const rules = await callTool(server, 'get_standard', { language: 'python' });
    expect(rules).toMatchObject({
      line_length: 88,
      complexity_limit: 10,
      own_key: 'yes',
      naming: { function: 'camelCase', class: 'PascalCase' },
      source: 'project',
    });
    expect(await callTool(server, 'get_standard', { language: 'go' })).toMatchObject({
      source: 'built-in',
    });
    await project.drop('coding-standards.yaml');
    await project.put('coding-standards.json', '{"python": {"line_length": 79}}');
    expect(await callTool(server, 'get_standard', { language: 'python' })).toMatchObject({
      line_length: 79,
    });
  });

  it('give a reviewer its limits', async () => {
    await project.put('coding-standards.yaml', 'rust: {complexity_limit: 7}\n');
    const limits = createStandardLimitsReader({ project: project.folder, log: silentLog });
    expect(await limits('rust')).toEqual({
      line_length: 100,
      complexity_limit: 7,
      max_function_lines: 60,
      max_parameters: 5,
      max_file_lines: 600,
      max_nesting: 4,
      docstrings: 'rustdoc',
      type_hints: 'inherent',
    });
    expect(await limits('cobol')).toBeUndefined();
    const builtIn = createStandardLimitsReader({ project: undefined, log: silentLog });
    expect(await builtIn('rust')).toMatchObject({ complexity_limit: 12 });
  });

  it.each([
    ['python.md', '---\ntitle: [unclosed\n---\ntext', 2, /./],
    ['python.md', '---\ntitle: x\n', 1, /never ends/],
    ['python.md', '---\ntitle: x\ncolour: red\n---\ntext', 3, /colour/],
    [
      'python.md',
      '---\ntitle: x\narguments:\n  - description: no name\n---\ntext',
      4,
      /arguments\.0\.name/,
    ],
    ['python.md', '---\ntitle: x\n---\n\n', 1, /no text/],
    ['python.md', Buffer.from([0xff, 0xfe]), 1, /UTF-8/],
    ['python.md', 'x'.repeat(300_000), 1, /longer than 262144 bytes/],
    ['Pyth on.md', 'text', 1, /lower-case/],
    ['prompts/code-review.md', 'Review it.', 1, /no \{\{placeholder\}\}/],
    ['notes.yaml', 'a: b', 1, /only coding-standards/],
    ['coding-standards.json', '{"python": {\n"line_length": }', 2, /./],
    ['coding-standards.yaml', 'go:\n  style: x\n  line_length: long\n', 3, /go\.line_length/],
    [
      'coding-standards.yaml',
      'go: {style: mine}\nkotlin: {style: x}\n',
      2,
      /a new language must be complete: kotlin/,
    ],
    ['coding-standards.yaml', '['.repeat(20_000), 1, /./],
  ])(
    '%s malformed is reported with its line while the built-in one is served',
    async (file, text, line, message) => {
      await project.put(file, text);
      const { log, warnings } = recordingLog();
      const server = project.serve({ log });
      expect((await readText(server, 'standards://python')).length).toBeGreaterThan(1_000);
      expect(await server.listPrompts()).toHaveLength(7);
      expect(await callTool(server, 'get_standard', { language: 'go' })).toMatchObject({
        style: 'effective-go',
      });
      const expected = { file, line, message: expect.stringMatching(message) as string };
      expect(warnings).toEqual([expected]);
      expect(await callTool(server, 'check_standards_overrides')).toMatchObject({
        used: [],
        problems: [expected],
      });
    },
  );

  it('that are links out of the folder are not followed', async () => {
    await writeFile(join(project.base, 'outside.md'), 'xyzzy');
    await project.put('fine.md', 'fine');
    await symlink(join(project.base, 'outside.md'), join(project.folder, 'python.md'));
    await symlink(join(project.folder, 'fine.md'), join(project.folder, 'also-fine.md'));
    await symlink(project.base, join(project.folder, 'templates'));
    const server = project.serve();
    expect(await readText(server, 'standards://python')).not.toContain('xyzzy');
    expect(await readText(server, 'standards://also-fine')).toBe('fine\n');
    expect(JSON.stringify(await server.listResources())).not.toContain('outside');
    await symlink(project.folder, join(project.base, 'linked'));
    const linked = project.serve({ project: join(project.base, 'linked') });
    expect((await linked.listResources()).map(({ uri }) => uri)).not.toContain('standards://fine');
  });

  it('that are no files, or cannot be opened, are reported while the others are used', async () => {
    await project.put('fine.md', 'fine');
    await mkdir(join(project.folder, 'templates'));
    await symlink(join(project.folder, 'templates'), join(project.folder, 'folder.md'));
    execFileSync('mkfifo', [join(project.folder, 'pipe.md')]);
    // Opening a socket fails, for every user.
    const socket = createServer().listen(join(project.folder, 'socket.md'));
    await once(socket, 'listening');
    const checked = await callTool(project.serve(), 'check_standards_overrides');
    socket.close();
    expect(checked).toMatchObject({
      used: [{ file: 'fine.md' }],
      problems: [
        { file: 'folder.md', message: 'it is a folder' },
        { file: 'pipe.md', message: 'it is not a regular file' },
        { file: 'socket.md', message: 'it is not a regular file' },
      ],
    });
  });

  it('beyond the first 500 by name are left out, and that is said', async () => {
    const names = Array.from({ length: 510 }, (_, n) => `n${String(n).padStart(3, '0')}.md`);
    for (const name of names.toReversed()) await project.put(name, 'text');
    const { used, problems } = await callTool(project.serve(), 'check_standards_overrides');
    expect(problems).toEqual([
      {
        file: '.',
        line: 1,
        message: 'the folder has more than 500 files; only the first 500 by name are read',
      },
    ]);
    expect((used as { file: string }[]).map(({ file }) => file)).toEqual(names.slice(0, 500));
  });

  it('are read again when their permissions change', async () => {
    await project.put('python.md', 'ours');
    const before = await fingerprintFolder(project.folder);
    await chmod(join(project.folder, 'python.md'), 0o600);
    expect(await fingerprintFolder(project.folder)).not.toBe(before);
  });

  it('are listed by check_standards_overrides with what they serve', async () => {
    await project.put('python.md', 'ours');
    await project.put('prompts/translate.md', 'To {{target}}');
    await project.put('coding-standards.yaml', 'go: {line_length: 90}\n');
    const { used, shown } = await callTool(project.serve(), 'check_standards_overrides');
    expect(used).toEqual([
      { file: 'python.md', serves: 'standards://python' },
      { file: 'prompts/translate.md', serves: 'prompt translate' },
      { file: 'coding-standards', serves: 'config://coding-standards' },
    ]);
    expect(shown).toContain('3 overrides in force');
  });
});

describe('changes', () => {
  /** Resolves with everything heard once `isEnough` says so. */
  function hear(
    server: McpServer,
    isEnough: (heard: readonly ServerChange[]) => boolean,
  ): Promise<ServerChange[]> {
    const heard: ServerChange[] = [];
    return new Promise((resolve) => {
      server.onChange((change) => {
        heard.push(change);
        if (isEnough(heard)) resolve(heard);
      });
    });
  }

  it('are seen by the next reader without listeners', async () => {
    const server = project.serve();
    const before = await readText(server, 'standards://python');
    await project.put('python.md', 'ours');
    expect(await readText(server, 'standards://python')).toBe('ours\n');
    await project.drop('python.md');
    expect(await readText(server, 'standards://python')).toBe(before);
  });

  it('are announced', async () => {
    await project.put('python.md', 'one');
    const server = project.serve({ pollMs: 100 });
    await server.listResources();
    const heard = hear(server, (changes) => changes.length > 0);
    await project.put('python.md', 'two, longer');
    expect(await heard).toEqual([{ kind: 'resource', uri: 'standards://python' }]);
  });

  it('are announced for a folder that appears', async () => {
    const server = project.serve({ pollMs: 10 });
    await server.listResources();
    const heard = hear(server, (changes) => changes.some(({ kind }) => kind === 'prompts'));
    await project.put('coding-standards.yaml', 'go: {line_length: 90}\n');
    await project.put('zig.md', 'Zig');
    await project.put('prompts/new.md', 'To {{target}}');
    const changes = await heard;
    expect(changes).toContainEqual({ kind: 'resource', uri: 'config://coding-standards' });
    expect(changes).toContainEqual({ kind: 'resources' });
    expect(changes).toContainEqual({ kind: 'prompts' });
  });

  it('reach nobody who has stopped listening', async () => {
    const server = project.serve({ pollMs: 3_600_000 });
    const heard: ServerChange[] = [];
    await server.listResources();
    const stop = server.onChange((change) => void heard.push(change));
    stop();
    await project.put('python.md', 'ours');
    await server.listResources();
    expect(heard).toEqual([]);
  });
});
