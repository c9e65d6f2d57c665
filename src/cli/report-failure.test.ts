import { describe, expect, it } from 'vitest';
import { runMain } from '../../testkit/cli/run-main.ts';

describe('what goes wrong', () => {
  it('is one sentence and what to do, without a stack', async () => {
    const { stderr, stdout } = await runMain(['call', 'fake.echo_al']);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'error: There is no tool "fake.echo_al". Did you mean "fake.echo_all"?\n',
    );
    expect(stderr).toMatch(/hint: .+ \(cli\.unknown_name\)\n$/);
    expect(stderr).not.toContain('    at ');
  });

  it('comes with a stack, and the log on stderr, when --debug asks for it', async () => {
    const { stderr, seen } = await runMain(['call', 'fake.throw_bug', '--debug']);
    expect(stderr).toContain('TypeError: x is not a function\n    at ');
    expect(seen.options[0]).toMatchObject({ flags: { 'logging.level': 'debug' }, log: 'stderr' });
  });

  it.each([
    ['cal', 'There is no command "cal". Did you mean "call"?'],
    ['version', 'There is no command "version". Did you mean "--version"?'],
    ['help cal', 'There is no command "cal". Did you mean "call"?'],
    ['review a.py', 'There is no command "review". To ask for it in words: tutti "review a.py"'],
    ['thanks', 'There is no command "thanks". To ask for it in words: tutti ask thanks'],
    ['call', '"call" wants TOOL [ARGUMENTS…], and TOOL is missing'],
    ['plan', '"plan" wants ACTION PLAN, and ACTION is missing'],
    ['servers add', '"servers add" wants NAME [COMMAND…], and NAME is missing'],
    ['servers list x', '"servers list" takes nothing more, and got "x" too'],
    ['doctor now', '"doctor" takes no arguments, and got "now"'],
    ['tools a b', '"tools" takes [QUERY], and got "a b": put words that belong together in quotes'],
    ['sessions delete x', 'There is no action "delete". Did you mean "remove"?'],
    ['tools ecoh', 'No tool fits "ecoh". Did you mean "echo"?'],
    ['tools fake.echo_al', 'There is no tool "fake.echo_al". Did you mean "fake.echo_all"?'],
    ['call fake.echo_all package.json', 'such as path=package.json, and this is "package.json"'],
    ['config set', 'To change one, edit your settings file (`tutti init` creates it)'],
    ['tools --jsn', "Unknown option '--jsn' (Did you mean --json?)"],
    ['call fake.echo_all txt=a', 'The tool has no argument "txt". Did you mean "text"?'],
    ['call fake.echo_all zzzzzz=a', 'The tool has no argument "zzzzzz". It has: text, count'],
    ['call fake.fail_bare', 'Tool "fake.fail_bare" failed: it rained'],
    ['call wait', 'Several servers have a tool "wait". Say which: fake.wait, other.wait'],
    ['prompts fake.grete', 'Did you mean "fake.greet"?'],
  ])('says what was meant: tutti %s', async (line, message) => {
    expect((await runMain(line.split(' '))).stderr).toContain(message);
  });

  it.each([
    [
      'call fake.nope',
      '`tutti tools` lists every tool, `tutti tools "what you want to do"` searches them.',
    ],
    ['import nosuch', 'Choose one of: claude-desktop, claude-code, cursor,'],
    [
      'servers lst',
      'Choose one of: list, add, remove, enable, disable, diff, accept, logs, restart, login, logout.',
    ],
    ['runs --status don', 'Choose one of: succeeded, failed,'],
    ['nope', '`tutti --help` lists the commands.'],
    ['call fake', '`tutti tools fake` lists them.'],
    ['config srever', '`tutti config` lists every setting.'],
    ['tools -k many', '`tutti help tools` shows its options, with examples.'],
    ['call fake.fail_arguments', '`tutti tools fake.fail_arguments` shows the arguments it takes.'],
  ])('suggests what fits this very mistake: tutti %s', async (line, hint) => {
    expect((await runMain(line.split(' '))).stderr).toContain(`\nhint: ${hint}`);
  });

  it.each([
    ['run nosuch.plan.yaml', '"nosuch.plan.yaml" was not read: there is no such file'],
    ['run src', '"src" was not read: it is a folder'],
    ['call fake.fail_bare', 'Tool "fake.fail_bare" failed: it rained'],
    ['runs approve', 'No run waits for approval'],
  ])('suggests nothing where the message says it all: tutti %s', async (line, message) => {
    const { stderr } = await runMain(line.split(' '));
    expect(stderr).toMatch(/\(cli\.[a-z_]+\)\n$/);
    expect(stderr).toContain(`error: ${message} (cli.`);
    expect(stderr).not.toContain('hint:');
  });

  it('proposes the setting that was meant', async () => {
    expect((await runMain(['config', 'srver'])).stderr).toContain('Did you mean "server"?');
  });

  it('names the code of a server that is not ours', async () => {
    expect((await runMain(['call', 'fake.fail_unknown'])).stderr).toBe(
      'warning: TUTTI_X sets nothing\nerror: odd (elsewhere.odd)\n',
    );
  });

  it('closes the system whatever happens', async () => {
    expect((await runMain(['call', 'fake.throw_bug'])).seen.closed).toBe(1);
  });
});
