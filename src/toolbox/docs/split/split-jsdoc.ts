import type { Passage } from '../passage.ts';
import { splitLong } from './split-long.ts';

const maxSignatureChars = 300;

/** The comments `/** … *\/` of a JavaScript file, each with the line it stands above. */
export function splitJsdoc(text: string): Passage[] {
  const passages: Passage[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf('/**'); at >= 0; at = text.indexOf('/**', at + 3)) {
    const end = text.indexOf('*/', at);
    if (end < 0) break;
    for (; counted < at; counted += 1) if (text[counted] === '\n') line += 1;
    const comment = text.slice(at, end + 2);
    const rest = text.slice(end + 2, end + 2 + maxSignatureChars);
    const signature = rest.split('\n').find((one) => one.trim() !== '') ?? '';
    const name = /([\w$.]+)\s*(?:=(?!=)|\()/.exec(signature.slice(0, 120))?.[1];
    at = end;
    if (name === undefined || comment.includes('@private') || comment.includes('@license'))
      continue;
    const lines = `${comment}\n${signature.trim()}`.split('\n');
    passages.push(...splitLong({ heading: name, line, lines }));
  }
  return passages;
}
