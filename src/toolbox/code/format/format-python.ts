import { syntaxError } from '../errors.ts';
import type { FormatEngine } from './engine.ts';
import { placeOfByte } from './text-place.ts';

/** Python by Ruff's formatter, which follows Black's style. */
export const formatPython: FormatEngine = async ({ file, lineLength }, context) => {
  const engine = `ruff ${await context.ruff.version()} (black style)`;
  try {
    const text = await context.ruff.format(file.text, { 'line-length': lineLength });
    return { text, engine };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const range = /^(.*) at byte range (\d+)\.\.\d+$/s.exec(message);
    if (!range) throw error;
    throw syntaxError(file, placeOfByte(file.text, Number(range[2])), range[1] ?? message);
  }
};
