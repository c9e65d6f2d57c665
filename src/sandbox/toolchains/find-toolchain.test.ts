import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findToolchain, reachableByOthers } from './find-toolchain.ts';
import { candidatePaths, languages, toolchainNames } from './languages.ts';
import { WrittenTree } from '../../../testkit/sandbox/toolchains/written-tree.ts';

describe('finding Python', () => {
  it('takes the version that pyenv has chosen, never the shim that stands for it', async () => {
    using tree = new WrittenTree();
    tree.python('home/ann/.pyenv/versions/3.12.1', { version: '3.12.1' });
    tree.python('home/ann/.pyenv/versions/3.11.7', { version: '3.11.7' });
    tree.file('home/ann/.pyenv/version', '3.11.7\n');
    tree.script('home/ann/.pyenv/shims/python3', 'exit 1\n');
    const searchPath = [join(tree.home, '.pyenv/shims')];
    const found = await findToolchain('python', tree.surroundings({ searchPath }));
    expect(found).toEqual({
      name: 'python',
      version: '3.11.7',
      program: '/opt/python-3.11.7/bin/python3.11',
      mounts: [{ source: join(tree.home, '.pyenv/versions/3.11.7'), target: '/opt/python-3.11.7' }],
      searchPath: ['/opt/python-3.11.7/bin', '/usr/local/bin', '/usr/bin', '/bin'],
      env: {},
    });
  });

  it('tells a moved Python where its library is', async () => {
    using tree = new WrittenTree();
    tree.python('home/ann/.pyenv/versions/3.11.7', { version: '3.11.7' });
    tree.file('home/ann/.pyenv/versions/3.11.7/lib/libpython3.11.so.1.0', '');
    const found = await findToolchain('python', tree.surroundings());
    expect(found.env).toEqual({ LD_LIBRARY_PATH: '/opt/python-3.11.7/lib' });
  });

  it('leaves folders where they are when they cannot be shown elsewhere', async () => {
    using tree = new WrittenTree();
    tree.python('home/ann/.pyenv/versions/3.11.7', { version: '3.11.7' });
    const found = await findToolchain('python', tree.surroundings({ canRelocate: false }));
    const folder = join(tree.home, '.pyenv/versions/3.11.7');
    expect(found.mounts).toEqual([{ source: folder, target: folder }]);
    expect(found.program).toBe(join(folder, 'bin/python3.11'));
    expect(found.env).toEqual({});
  });

  it('prefers the first that has the wanted modules', async () => {
    using tree = new WrittenTree();
    tree.python('usr', { version: '3.13.0', missing: ['pytest'] });
    tree.python('home/ann/.pyenv/versions/3.12.1', { version: '3.12.1', missing: ['pytest'] });
    tree.python('home/ann/.pyenv/versions/3.10.13', { version: '3.10.13' });
    const surroundings = tree.surroundings({ modules: ['pytest'] });
    expect((await findToolchain('python', surroundings)).version).toBe('3.10.13');
  });

  it('takes the best one all the same when none has the wanted modules', async () => {
    using tree = new WrittenTree();
    tree.python('usr', { version: '3.11.2', missing: ['pytest'] });
    const surroundings = tree.surroundings({ modules: ['pytest'] });
    expect((await findToolchain('python', surroundings)).version).toBe('3.11.2');
  });

  it('takes none without the modules that its name asks for', async () => {
    using tree = new WrittenTree();
    tree.python('usr', { version: '3.13.0', missing: ['pytest', 'coverage'] });
    tree.python('home/ann/.pyenv/versions/3.10.13', { version: '3.10.13' });
    const found = await findToolchain('python:pytest,coverage', tree.surroundings());
    expect(found).toMatchObject({ name: 'python:pytest,coverage', version: '3.10.13' });
    // A colon would cut it in two in every search path.
    expect(found.searchPath[0]).toBe('/opt/python-3.10.13/bin');
  });

  it('says how to install the modules that none has', async () => {
    using tree = new WrittenTree();
    tree.python('usr', { version: '3.13.0', missing: ['pytest'] });
    await expect(findToolchain('python:pytest', tree.surroundings())).rejects.toMatchObject({
      code: 'sandbox.toolchain_missing',
      message: expect.stringContaining('pip install pytest'),
    });
  });

  it('prefers one that the other user can reach, unless only the hidden one has the modules', async () => {
    using tree = new WrittenTree();
    tree.python('usr', { version: '3.11.2', missing: ['pytest'] });
    tree.python('home/ann/.pyenv/versions/3.12.1', { version: '3.12.1' });
    tree.file('home/ann/.pyenv/version', '3.12.1\n');
    chmodSync(tree.home, 0o700);
    const searchPath = [join(tree.home, '.pyenv/shims')];
    const find = (runsAsOther: boolean, modules: string[]): Promise<{ version: string }> => {
      // A written answer is the same whatever is asked: without a wish nothing is missing.
      const usr = { version: '3.11.2', missing: modules };
      tree.python('usr', usr);
      return findToolchain('python', tree.surroundings({ searchPath, runsAsOther, modules }));
    };
    expect((await find(true, [])).version).toBe('3.11.2');
    expect((await find(true, ['pytest'])).version).toBe('3.12.1');
    expect((await find(false, [])).version).toBe('3.12.1');
  });

  it('shows a virtual environment and the Python below it at their own paths', async () => {
    using tree = new WrittenTree();
    const base = 'home/ann/.pyenv/versions/3.11.7';
    tree.python(base, { version: '3.11.7' });
    tree.python('srv/venv', { version: '3.11.7', base: join(tree.root, base) });
    const surroundings = tree.surroundings({
      searchPath: [join(tree.root, 'srv/venv/bin')],
      // The written tree stands in a folder that inside belongs to the program.
      canRelocate: false,
    });
    const found = await findToolchain('python', surroundings);
    expect(found.program).toBe(join(tree.root, 'srv/venv/bin/python3'));
    expect(found.mounts.map(({ target }) => target)).toEqual([
      join(tree.root, 'srv/venv'),
      join(tree.root, base),
    ]);
    const refused = findToolchain('python', { ...surroundings, canRelocate: true, home: '/none' });
    await expect(refused).rejects.toThrow(/only works at its own path/);
  });

  it('passes over one that is too old or does not start, and says so when there is no other', async () => {
    using tree = new WrittenTree();
    const old = tree.python('usr/local', { version: '2.7.18' });
    const broken = tree.script('usr/bin/python3', 'echo boom >&2; exit 1\n');
    const failure = await findToolchain('python', tree.surroundings()).catch((error) => error);
    expect(failure).toMatchObject({ code: 'sandbox.toolchain_missing' });
    expect(failure.message).toContain(`${old}: it is Python 2.7.18`);
    expect(failure.message).toContain(`${broken}: Command failed`);
    expect(failure.message).toContain('Install it: apt install python3');
  });
});

describe('finding Node', () => {
  it('takes the one it is told, with its whole folder when that holds nothing else', async () => {
    using tree = new WrittenTree();
    const program = tree.program('home/ann/.nvm/versions/node/v24.1.0/bin/node', 'v24.1.0');
    const found = await findToolchain('node', tree.surroundings({ node: program }));
    expect(found.program).toBe('/opt/node-24.1.0/bin/node');
    expect(found.mounts).toEqual([
      { source: join(tree.home, '.nvm/versions/node/v24.1.0'), target: '/opt/node-24.1.0' },
    ]);
  });

  it('never shows a folder that holds other things, such as a home folder', async () => {
    using tree = new WrittenTree();
    for (const path of ['home/ann/bin/node', 'home/ann/.local/bin/node', 'opt/bin/node']) {
      const program = tree.program(path, 'v24.1.0');
      const found = await findToolchain('node', tree.surroundings({ node: program }));
      expect(found.mounts).toEqual([{ source: program, target: '/opt/node-24.1.0/bin/node' }]);
      expect(found.program).toBe('/opt/node-24.1.0/bin/node');
    }
  });

  it('looks for nvm and asdf, newest first, and passes over what is too old', async () => {
    using tree = new WrittenTree();
    tree.program('home/ann/.nvm/versions/node/v9.11.2/bin/node', 'v9.11.2');
    tree.program('home/ann/.nvm/versions/node/v20.3.1/bin/node', 'v20.3.1');
    tree.program('home/ann/.asdf/installs/nodejs/24.2.0/bin/node', 'v24.2.0');
    expect((await findToolchain('node', tree.surroundings())).version).toBe('24.2.0');
  });
});

describe('finding Go', () => {
  it('takes its root, and keeps it away from the network', async () => {
    using tree = new WrittenTree();
    const root = join(tree.home, 'sdk/go1.22.3');
    tree.script(
      'home/ann/sdk/go1.22.3/bin/go',
      `[ "$1" = env ] && echo ${root} || echo go version go1.22.3 linux/amd64\n`,
    );
    tree.script('usr/lib/go-1.19/bin/go', 'exit 1\n');
    const found = await findToolchain('go', tree.surroundings());
    expect(found.program).toBe('/opt/go-1.22.3/bin/go');
    expect(found.env).toMatchObject({
      GOROOT: '/opt/go-1.22.3',
      GOCACHE: '/tmp/go-build',
      GOTOOLCHAIN: 'local',
      GOPROXY: 'off',
    });
  });
});

describe('finding Rust', () => {
  const rustc = (root: string, version: string): string =>
    `[ "$1" = --print ] && echo ${root} || echo "rustc ${version} (abc 2026-01-01)"\n`;

  it('takes the default toolchain of rustup itself, never the proxy in PATH', async () => {
    using tree = new WrittenTree();
    tree.program('usr/bin/cc', '');
    tree.program('home/ann/.cargo/bin/rustup', 'proxy');
    symlinkSync('rustup', join(tree.home, '.cargo/bin/rustc'));
    for (const [name, version] of [
      ['nightly-x', '1.99.0'],
      ['stable-x', '1.95.0'],
    ] as const) {
      const folder = `home/ann/.rustup/toolchains/${name}`;
      tree.script(`${folder}/bin/rustc`, rustc(join(tree.root, folder), version));
      tree.program(`${folder}/bin/cargo`, `cargo ${version}`);
    }
    const surroundings = tree.surroundings({ searchPath: [join(tree.home, '.cargo/bin')] });
    expect((await findToolchain('rust', surroundings)).version).toBe('1.95.0');
    tree.file(
      'home/ann/.rustup/settings.toml',
      'version = "12"\ndefault_toolchain = "nightly-x"\n',
    );
    const found = await findToolchain('rust', surroundings);
    expect(found.program).toBe('/opt/rust-1.99.0/bin/rustc');
    expect(found.env).toEqual({ CARGO_HOME: '/tmp/cargo', CARGO_NET_OFFLINE: 'true' });
  });

  it('says what is missing beside the compiler', async () => {
    using tree = new WrittenTree();
    const root = join(tree.root, 'srv/rust');
    tree.script('srv/rust/bin/rustc', rustc(root, '1.95.0'));
    const surroundings = tree.surroundings({ searchPath: [join(root, 'bin')] });
    await expect(findToolchain('rust', surroundings)).rejects.toThrow('no cargo beside it');
    tree.program('srv/rust/bin/cargo', 'cargo');
    await expect(findToolchain('rust', surroundings)).rejects.toThrow('there is no linker');
    symlinkSync('cargo', join(root, 'bin/rustup'));
    tree.program('srv/proxy/rustup', 'rustup');
    symlinkSync('rustup', join(tree.root, 'srv/proxy/rustc'));
    const proxied = tree.surroundings({ searchPath: [join(tree.root, 'srv/proxy')] });
    await expect(findToolchain('rust', proxied)).rejects.toThrow('only chooses a toolchain');
  });
});

describe('finding Java', () => {
  it('looks into SDKMAN and gives the home of the kit', async () => {
    using tree = new WrittenTree();
    tree.program(
      'home/ann/.sdkman/candidates/java/21.0.2-tem/bin/java',
      'openjdk 21.0.2 2024-01-16',
    );
    tree.program('home/ann/.sdkman/candidates/java/21.0.2-tem/bin/javac', 'javac 21.0.2');
    symlinkSync('21.0.2-tem', join(tree.home, '.sdkman/candidates/java/current'));
    const found = await findToolchain('java', tree.surroundings());
    expect(found.program).toBe('/opt/java-21.0.2/bin/java');
    expect(found.env).toEqual({ JAVA_HOME: '/opt/java-21.0.2' });
  });

  it('does not take one that cannot compile, or is too old', async () => {
    using tree = new WrittenTree();
    tree.program('usr/lib/jvm/jre-17/bin/java', 'openjdk 17.0.1 2021-10-19');
    tree.program('usr/lib/jvm/jdk-9/bin/java', 'openjdk 9.0.4');
    tree.program('usr/lib/jvm/jdk-9/bin/javac', 'javac 9.0.4');
    tree.program('srv/odd/bin/java', 'hello');
    tree.program('srv/odd/bin/javac', 'hello');
    const env = { JAVA_HOME: join(tree.root, 'srv/odd') };
    const failure = await findToolchain('java', tree.surroundings({ env })).catch((e) => e);
    expect(failure.message).toContain('there is no javac beside it');
    expect(failure.message).toContain('it is Java 9.0.4');
    expect(failure.message).toContain('it says of its version: hello');
    expect(failure.message).toContain('sdk install java');
  });
});

describe('a toolchain that is not there', () => {
  it.each(toolchainNames)(
    'is reported for %s with what was looked for and what to install',
    async (name) => {
      using tree = new WrittenTree();
      const failure = await findToolchain(name, tree.surroundings()).catch((error) => error);
      expect(failure).toMatchObject({ code: 'sandbox.toolchain_missing' });
      expect(failure.message).toMatch(/^The program was not run: no .+ was found: looked for \//);
      expect(failure.message).toMatch(/Install it: .*(install|add) /);
      const onMac = tree.surroundings({ platform: 'darwin' });
      await expect(findToolchain(name, onMac)).rejects.toThrow(/brew|rustup/);
    },
  );

  it('is another thing than a name that nobody knows', async () => {
    const failure = findToolchain('cobol');
    await expect(failure).rejects.toMatchObject({ code: 'sandbox.invalid_run' });
    await expect(findToolchain('toString')).rejects.toThrow('no toolchain "toString"');
  });
});

describe('what is asked of programs', () => {
  it('is asked once as long as it is answered', async () => {
    using tree = new WrittenTree();
    const count = tree.file('count', '');
    tree.script('usr/bin/bash', `echo x >> ${count}; echo 5.2\n`);
    const surroundings = tree.surroundings();
    await findToolchain('shell', surroundings);
    const found = await findToolchain('shell', surroundings);
    expect(found.version).toBe('5.2');
    expect(await surroundings.ask('/bin/cat', [count])).toBe('x\n');
  });

  it('is asked again after it failed', async () => {
    using tree = new WrittenTree();
    tree.script('usr/bin/bash', 'exit 1\n');
    const surroundings = tree.surroundings();
    await expect(findToolchain('shell', surroundings)).rejects.toThrow('Command failed');
    tree.script('usr/bin/bash', 'echo 5.3\n');
    expect((await findToolchain('shell', surroundings)).version).toBe('5.3');
  });
});

describe('what others can reach', () => {
  it('is a file below folders that all may enter', () => {
    using tree = new WrittenTree();
    const file = tree.file('a/b/file', '');
    expect(reachableByOthers(file)).toBe(true);
    chmodSync(file, 0o640);
    expect(reachableByOthers(file)).toBe(false);
  });

  it('is nothing below a folder that is closed to them, under whatever name', () => {
    using tree = new WrittenTree();
    const file = tree.file('closed/b/file', '');
    chmodSync(join(tree.root, 'closed'), 0o700);
    symlinkSync(join(tree.root, 'closed/b'), join(tree.root, 'open'));
    expect(reachableByOthers(file)).toBe(false);
    expect(reachableByOthers(join(tree.root, 'open/file'))).toBe(false);
  });

  it('is not what lies behind a link in a closed folder', () => {
    using tree = new WrittenTree();
    const file = tree.file('a/file', '');
    tree.file('closed/x', '');
    symlinkSync(file, join(tree.root, 'closed/link'));
    chmodSync(join(tree.root, 'closed'), 0o700);
    expect(reachableByOthers(join(tree.root, 'closed/link'))).toBe(false);
    expect(reachableByOthers(join(tree.root, 'missing'))).toBe(false);
  });
});

describe('the table of languages', () => {
  it.each(toolchainNames)(
    'has absolute paths and a version pattern with one group for %s',
    (name) => {
      using tree = new WrittenTree();
      const paths = candidatePaths(name, tree.surroundings());
      expect(paths.length).toBeGreaterThan(0);
      expect(paths.filter((path) => !path.startsWith('/') || /[*~$]/.test(path))).toEqual([]);
      const groups = new RegExp(`${languages[name]?.version ?? '()'}|`).exec('')?.length;
      expect(groups).toBe(2);
    },
  );
});
