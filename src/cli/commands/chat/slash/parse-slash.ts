/** A chat command as it was typed. */
export interface Slash {
  readonly name: string;
  /** What stands behind the name, as it is. */
  readonly text: string;
  readonly words: readonly string[];
}

/** `/name words…`, with quotes around words with blanks; undefined for what is a message: `/usr/bin is …`. */
export function parseSlash(message: string): Slash | undefined {
  const found = /^\/([a-z?][\w-]*)(?:\s([^]*))?$/i.exec(message.trimEnd());
  if (!found) return undefined;
  const [, name = '', text = ''] = found;
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  return { name: name.toLowerCase(), text: text.trim(), words };
}
