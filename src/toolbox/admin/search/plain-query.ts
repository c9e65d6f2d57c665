/** Endings of files that say what is in them. */
const kinds: readonly (readonly [endings: RegExp, kind: string])[] = [
  [/^(?:png|jpe?g|gif|webp|svg|bmp|heic)$/i, 'image'],
  [/^(?:mp3|wav|ogg|flac|m4a)$/i, 'audio'],
  [/^(?:mp4|mov|mkv|webm)$/i, 'video'],
  [/^(?:db|sqlite3?)$/i, 'database'],
  [/^(?:py|[cm]?[jt]sx?|go|rs|java|rb|cpp?|css|html?)$/i, 'code'],
  [/^(?:txt|md|log|ya?ml|json|toml|ini|env|csv|xml|docx?|pdf|sh|tar|gz|zip)$/i, ''],
];

const maxNameChars = 200;

/**
 * The query with names of files replaced by what they are: `login.png` is an image file, and neither a
 * login nor a place. A query that is SQL says so.
 */
export function plainQuery(query: string): string {
  const plain = query
    .split(/\s+/)
    .map((word) => fileWords(word) ?? word)
    .join(' ');
  const isSql = /^\s*(?:select|insert into|update|delete from|create table|with)\s/i.test(query);
  return isSql && /\b(?:from|set|values|table)\b/i.test(query) ? `SQL query: ${plain}` : plain;
}

function fileWords(word: string): string | undefined {
  if (word.length > maxNameChars) return undefined;
  const ending = /^["'(]*[\w*~@./\\-]*\.(\w{1,7})["'),?!.:;]*$/.exec(word)?.[1];
  if (ending !== undefined) {
    const kind = kinds.find(([endings]) => endings.test(ending))?.[1];
    if (kind !== undefined) return kind === '' ? 'file' : `${kind} file`;
  }
  return /^["'(]*[\w.~-]*\/[\w./-]*["'),?!]*$/.test(word) ? 'folder' : undefined;
}
