/** JSON with comments and trailing commas, as tsconfig files have them; `undefined` when it is none. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(
      withoutComments(text.replace(/^\uFEFF/, '')).replaceAll(/,(\s*[}\]])/g, '$1'),
    );
  } catch {
    return undefined;
  }
}

function withoutComments(text: string): string {
  let result = '';
  let index = 0;
  while (index < text.length) {
    const end = endOfSpecial(text, index);
    if (end === index) {
      result += text[index];
      index += 1;
    } else {
      if (text[index] === '"') result += text.slice(index, end);
      index = end;
    }
  }
  return result;
}

/** Where the string or comment that starts at `index` ends; `index` itself when none starts there. */
function endOfSpecial(text: string, index: number): number {
  if (text[index] === '"') {
    let end = index + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (text.startsWith('//', index)) {
    const end = text.indexOf('\n', index);
    return end < 0 ? text.length : end;
  }
  if (text.startsWith('/*', index)) {
    const end = text.indexOf('*/', index + 2);
    return end < 0 ? text.length : end + 2;
  }
  return index;
}
