/** JSON with comments and trailing commas, as editors write it; `undefined` when it is none. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(withoutExtras(text.replace(/^\uFEFF/, '')));
  } catch {
    return undefined;
  }
}

/** Leaves out comments, and commas behind which a list or object ends. */
function withoutExtras(text: string): string {
  const kept: string[] = [];
  let heldComma = '';
  let index = 0;
  while (index < text.length) {
    const end = endOfToken(text, index);
    const token = text.slice(index, end);
    index = end;
    if (token.startsWith('//') || token.startsWith('/*') || token.trim() === '') {
      kept.push(' ');
      continue;
    }
    if (token !== '}' && token !== ']') kept.push(heldComma);
    heldComma = token === ',' ? ',' : '';
    if (token !== ',') kept.push(token);
  }
  return `${kept.join('')}${heldComma}`;
}

/** Where the string, comment, punctuation mark or run of anything else that starts at `index` ends. */
function endOfToken(text: string, index: number): number {
  if (text[index] === '"') {
    let end = index + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (text.startsWith('//', index)) return endAt(text, text.indexOf('\n', index));
  if (text.startsWith('/*', index)) return endAt(text, text.indexOf('*/', index + 2), 2);
  let end = index + 1;
  if (/[,{}[\]:\s/]/.test(text[index] ?? '')) return end;
  while (end < text.length && !/[",{}[\]:\s/]/.test(text[end] ?? '')) end += 1;
  return end;
}

function endAt(text: string, found: number, length = 0): number {
  return found < 0 ? text.length : found + length;
}
