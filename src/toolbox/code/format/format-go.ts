import { GofmtMessage, type Gofmt } from '../engines/gofmt.ts';
import { syntaxError } from '../errors.ts';
import type { FormatEngine } from './engine.ts';
import { packageVersion } from './package-version.ts';
import { placeOfLineAndByte } from './text-place.ts';

/** Go by gofmt itself, compiled to WASM. Whole files and, as gofmt does, lists of declarations or statements. */
export function goFormatter(gofmt: Gofmt): FormatEngine {
  // Read once: gofmt is so quick that looking for its version would be a quarter of the time.
  let engine: string | undefined;
  return async ({ file }) => {
    engine ??= `gofmt (@wasm-fmt/gofmt ${packageVersion('@wasm-fmt/gofmt')})`;
    try {
      return { text: await gofmt.format(file.text), engine };
    } catch (error) {
      if (!(error instanceof GofmtMessage)) throw error;
      const [, line, column, reason] = /^(\d+):(\d+): (.*)/.exec(error.message) ?? [];
      const place = placeOfLineAndByte(file.text, Number(line ?? 1), Number(column ?? 1));
      throw syntaxError(file, place, reason ?? error.message);
    }
  };
}
