import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aPlace } from '../../../testkit/cli/a-place.ts';

const project = `mcpServers:
  files:
    command: npx
    args: [-y, server-files, "--token=literal", "a b\\u001B[2K"]
    env: {API_KEY: "\${env:API_KEY}", NODE_OPTIONS: "--require ./x.js", PASSWORD: hunter2secret}
  remote:
    url: https://example.org/mcp
    headers: {Authorization: "Bearer \${file:~/token}"}
    trustAnnotations: true
`;

describe('trust', () => {
  it('shows every word that would run, and asks', async () => {
    const place = aPlace({ project, user: 'mcpServers: {remote: {command: mine}}' });
    const { stdout, stderr, exitCode } = await place.run('trust', 'yes\n');
    expect(stderr).toContain(`files
  runs      npx -y server-files --token=literal "a b\\u001b[2K"
  in        ${join(place.base, 'project')}
  sets      API_KEY=\${env:API_KEY}, "NODE_OPTIONS=--require ./x.js", PASSWORD=hunter2secret
  is given  API_KEY
`);
    expect(stderr).toContain(`remote
  reaches   https://example.org/mcp
  sends     Authorization
  is given  file:~/token
  is believed  what it says about its tools (trustAnnotations)
  replaces  your own server of this name
`);
    expect(stderr).toContain('Do you trust it? [y/N]');
    expect(stdout).toBe(`${place.projectFile} is trusted.\n`);
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain('\u001B[2K');
  });

  it.each(['n\n', '\n', ''])('is not given by the answer %j', async (answer) => {
    const place = aPlace({ project });
    const { stdout, exitCode } = await place.run('trust', answer);
    expect([stdout, exitCode]).toEqual(['Nothing was changed.\n', 0]);
    expect((await place.run('trust --list')).stdout).toBe('No project is trusted.\n');
  });

  it('ends with 4 where nobody can be asked', async () => {
    const place = aPlace({ project });
    const { stdout, exitCode } = await place.run('trust --json');
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cli.needs_answer' } });
  });

  it('is asked once, and again after any change of the servers', async () => {
    const place = aPlace({ project });
    expect((await place.run('trust --yes')).exitCode).toBe(0);
    const again = await place.run('trust --json');
    expect(JSON.parse(again.stdout)).toMatchObject({ isTrusted: true, servers: [{}, {}] });
    place.write(place.projectFile, `# only a comment\n${project}`);
    expect((await place.run('trust')).exitCode).toBe(0);
    place.write(place.projectFile, project.replace('server-files', 'server-evil'));
    expect((await place.run('trust')).exitCode).toBe(4);
    place.write(place.projectFile, project.replace('hunter2secret', 'other'));
    expect((await place.run('trust')).exitCode).toBe(4);
  });

  it('can be listed and taken back', async () => {
    const place = aPlace({ project });
    await place.run('trust --yes');
    expect((await place.run('trust --list')).stdout).toContain(place.projectFile);
    expect((await place.run('trust --revoke')).stdout).toContain('do not start any more');
    expect((await place.run('trust')).exitCode).toBe(4);
    expect((await place.run('trust --revoke')).stdout).toBe('This project was not trusted.\n');
  });

  it.each([
    ['there is no project', undefined, 'There is no tutti.yaml here'],
    ['the project names no servers', 'tools: {}', 'names no servers'],
  ])('is not needed where %s', async (_what, text, message) => {
    const place = aPlace(text === undefined ? {} : { project: text });
    const { stdout, exitCode } = await place.run('trust');
    expect(stdout).toContain(message);
    expect(exitCode).toBe(0);
  });

  it('is kept where only the user can read it', async () => {
    const place = aPlace({ project });
    await place.run('trust --yes');
    const file = join(place.base, '.local/share/tutti/trust.json');
    expect(place.read(file)).not.toContain('hunter2secret');
    const { statSync } = await import('node:fs');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    place.write(file, 'no json');
    expect((await place.run('trust')).exitCode).toBe(4);
    expect((await place.run('trust --yes')).exitCode).toBe(0);
    expect((await place.run('trust')).exitCode).toBe(0);
  });
});
