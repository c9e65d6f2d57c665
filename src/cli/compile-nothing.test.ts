import { afterEach, expect, it, vi } from 'vitest';
import { config, z } from 'zod';
import { compileNothing } from './compile-nothing.ts';

afterEach(() => {
  vi.restoreAllMocks();
  config({ jitless: false });
});

it('keeps schemas from being turned into code', async () => {
  const parse = (): unknown => z.object({ a: z.string() }).parse({ a: 'b' });
  const compile = vi.spyOn(globalThis, 'Function');
  parse();
  expect(compile).toHaveBeenCalled();
  compile.mockClear();
  await compileNothing();
  expect(parse()).toEqual({ a: 'b' });
  expect(compile).not.toHaveBeenCalled();
});
