import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = 'bench/ml/node_modules/@stdlib';

interface Mail {
  readonly text: string;
  readonly label: 'spam' | 'ham';
}

/** Bodies of mails without their headers, each once; a hash of the body says which split. */
export function readMails(): { readonly train: Mail[]; readonly test: Mail[] } {
  const folder = join(packages, 'datasets-spam-assassin/data');
  const seen = new Set<string>();
  const mails: { readonly mail: Mail; readonly digest: string }[] = [];
  for (const group of ['easy-ham-1', 'easy-ham-2', 'hard-ham-1', 'spam-1', 'spam-2']) {
    for (const name of readdirSync(join(folder, group))
      .filter((one) => one.endsWith('.txt'))
      .sort()) {
      const whole = readFileSync(join(folder, group, name), 'latin1').replaceAll('\r', '');
      const text = whole.slice(whole.indexOf('\n\n') + 2);
      const digest = createHash('sha256').update(text).digest('hex');
      if (seen.has(digest) || text.trim() === '') continue;
      seen.add(digest);
      mails.push({ mail: { text, label: group.startsWith('spam') ? 'spam' : 'ham' }, digest });
    }
  }
  const isTest = (digest: string): boolean => Number.parseInt(digest.slice(0, 4), 16) % 10 < 3;
  return {
    train: mails.filter(({ digest }) => !isTest(digest)).map(({ mail }) => mail),
    test: mails.filter(({ digest }) => isTest(digest)).map(({ mail }) => mail),
  };
}

/** Paragraphs of a book or of speeches. */
export function readParagraphs(name: 'moby-dick' | 'sotu', maxLetters: number): { text: string }[] {
  const folder = join(packages, `datasets-${name}/data`);
  const files = readdirSync(folder)
    .filter((one) => one.endsWith('.txt'))
    .sort();
  const paragraphs: { text: string }[] = [];
  let letters = 0;
  for (const file of files) {
    for (const part of readFileSync(join(folder, file), 'utf8').split(
      /\n\s*\n|(?<=\.)\s(?=[A-Z][^.]{80})/,
    )) {
      const text = part.replaceAll(/\s+/g, ' ').trim();
      if (text.length < 40) continue;
      paragraphs.push({ text });
      letters += text.length;
      if (letters > maxLetters) return paragraphs;
    }
  }
  return paragraphs;
}
