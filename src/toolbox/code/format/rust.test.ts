import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { SourceFile } from '../source-files.ts';
import { runChild } from '../engines/run-child.ts';
import { Rustfmt } from './format-rust.ts';
import { createFormatEngines, formatSource } from './format-source.ts';

const context = aCodeContext();
const signal = new AbortController().signal;
const lineLength = 100;

function rust(text: string): SourceFile {
  return { path: 'a.rs', text, language: 'rust' };
}

function formatRust(text: string, rustfmt: Rustfmt, formatter = 'rustfmt') {
  const job = { file: rust(text), formatter, lineLength, signal };
  return formatSource(job, createFormatEngines(rustfmt), context);
}

describe('without rustfmt', () => {
  const none = new Rustfmt('no-such-rustfmt');

  it('another engine formats, and the result says so', async () => {
    const result = await formatRust('fn main( ){let x=1;println!("{}",x)}', none);
    expect(result.text).toBe('fn main() {\n    let x = 1;\n    println!("{}", x)\n}\n');
    expect(result.engine).toMatch(
      /^prettier-plugin-rust .* with prettier 2\..*, as rustfmt is not installed here$/,
    );
  });

  it.each([
    ['fn f() { let x = 1 }', 1],
    ['struct A { a: u8, b }', 1],
    ['fn f() {\n    let x = ;\n}\n', 2],
    ['fn f( {}', 1],
  ])('what is not Rust is an error, nothing is invented: %j', async (text, line) => {
    await expect(formatRust(text, none)).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: { line },
    });
  });

  it('a result that would say something else is not given out', async () => {
    // This engine turns the path of the import into another one.
    const text = 'use {c_long, register_t};\n';
    await expect(formatRust(text, none)).rejects.toMatchObject({ code: 'code.format_failed' });
  });

  it('numbers may be spelled otherwise, but say the same', async () => {
    const result = await formatRust('const A: f64 = 1.50e+00;\nconst B: u64 = 0xFF;\n', none);
    expect(result.text).toBe('const A: f64 = 1.5;\nconst B: u64 = 0xff;\n');
  });

  it('the tenth field of a field stays the tenth, or nothing is given out', async () => {
    const text = 'fn f() {\n    g(a.1.10);\n}\n';
    const outcome = await formatRust(text, none).catch((error: unknown) => error);
    const expected = outcome instanceof Error ? { code: 'code.format_failed' } : { text };
    expect(outcome).toMatchObject(expected);
  });
});

it('is formatted by the other engine when that is asked for', async () => {
  const result = await formatRust('fn f( ){}', new Rustfmt(), 'prettier');
  expect(result.engine).toMatch(/^prettier-plugin-rust [\d.]+ with prettier 2\.[\d.]+$/);
});

describe('rustfmt as a child process', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tutti-rustfmt-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function program(name: string, script: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it('is asked with the newest edition first and gets the older ones after an error', async () => {
    const script = `
case "$*" in
  --version) echo "rustfmt 1.9.0-stable (abc 2026-01-01)" ;;
  *2024*) echo "error: old word" >&2; echo " --> <stdin>:1:4" >&2; exit 1 ;;
  *2021*) cat ;;
esac`;
    const result = await formatRust('fn gen() {}\n', new Rustfmt(await program('old', script)));
    expect(result).toMatchObject({ text: 'fn gen() {}\n', engine: 'rustfmt 1.9.0' });
  });

  it('is not used when it is a stand-in that only explains what to install', async () => {
    const path = await program('shim', 'echo "error: not installed for the toolchain" >&2; exit 1');
    const result = await formatRust('fn f( ){}', new Rustfmt(path));
    expect(result.engine).toContain('prettier-plugin-rust');
  });

  it('fails clearly when it ends without a reason', async () => {
    const script = 'test "$1" = --version && echo "rustfmt 1.9.0" || exit 1';
    await expect(
      formatRust('fn f() {}', new Rustfmt(await program('mute', script))),
    ).rejects.toMatchObject({ code: 'code.too_complex' });
  });

  it('names the first of so many errors that it has to be stopped', async () => {
    const script = `
test "$1" = --version && echo "rustfmt 1.9.0" && exit
echo "error: bad word" >&2; echo " --> <stdin>:1:4" >&2; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >&2`;
    await expect(
      formatRust('fn f() {}', new Rustfmt(await program('talkative', script))),
    ).rejects.toMatchObject({ code: 'code.syntax_error', problem: { line: 1, column: 4 } });
  });

  it('is given up when it writes too much without naming an error', async () => {
    const script =
      'test "$1" = --version && echo "rustfmt 1.9.0" && exit; yes aaaaaaaaaaaaaaaaaaaaaaaa';
    await expect(
      formatRust('fn f() {}', new Rustfmt(await program('babbling', script))),
    ).rejects.toMatchObject({ code: 'code.format_failed' });
  });

  it('is stopped when it takes or writes too much, and when the call is cancelled', async () => {
    const path = await program('endless', 'yes');
    const request = { program: path, args: [], stdin: '', signal };
    const slow = { timeLimitMs: 50, maxOutputBytes: Number.MAX_SAFE_INTEGER };
    expect(await runChild({ ...request, limits: slow })).toMatchObject({
      kind: 'stopped',
      reason: 'it did not end within 50 ms',
    });
    const chatty = { timeLimitMs: 60_000, maxOutputBytes: 1000 };
    expect(await runChild({ ...request, limits: chatty })).toMatchObject({
      kind: 'stopped',
      reason: 'it wrote more than 1000 bytes',
    });
    const cancel = new AbortController();
    const limits = { timeLimitMs: 60_000, maxOutputBytes: Number.MAX_SAFE_INTEGER };
    const cancelled = runChild({ ...request, limits, signal: cancel.signal });
    cancel.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
  });
});

describe('without rustfmt, what the stand-in would break is refused, not given out', () => {
  it.each([
    ['a C string', 'fn main() {\n    let p = c"x";\n}\n'],
    ['a raw C string as a result', 'fn f() -> &\'static CStr {\n    c"abc"\n}\n'],
    ['a struct in a condition', 'fn f() {\n    if (x == S { a: 1 }) {\n    }\n}\n'],
  ])('%s', async (_what, code) => {
    const call = formatRust(code, new Rustfmt(), 'prettier-rust');
    await expect(call).rejects.toMatchObject({
      code: expect.stringMatching(/^code\.(format_failed|syntax_error)$/),
    });
  });
});
