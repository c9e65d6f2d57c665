import { languageOfFile } from '../../contract/language/index.ts';
import type { Edit } from '../../contract/preference/index.ts';
import { learnPreferences, type Learned } from './learn-preferences.ts';

const maxTextLength = 200_000;
/** Fewer lines, strings or tests than this are no habit. */
const minSeen = 2;
/** Which of two ways must have this share of all to be the way of a text. */
const clearShare = 0.8;

/** How often each way of writing something is in a text. */
type Counts = Readonly<Record<string, number>>;

/**
 * What the change of a generated text shows of its writer's preferences: only ways of writing that a table knows,
 * where the text had one before and has another after. Nothing of the text itself becomes part of it.
 */
export function observeEdit({ path, before, after }: Edit): readonly Learned[] {
  const language = languageOfFile(path);
  if (language === undefined || before === after) return [];
  const [was, is] = [before, after].map((text) => waysOf(text.slice(0, maxTextLength), language));
  return Object.keys(is ?? {}).flatMap((topic) => {
    const [from, to] = [was?.[topic], is?.[topic]];
    if (from === undefined || to === undefined || from === to) return [];
    const evidence = `${fileName(path)} was changed from ${from} to ${to}`;
    const limited = topic === 'tests' ? '' : ` in ${language}`;
    return learnPreferences(`I prefer ${to}${limited}`).map((one) => ({ ...one, evidence }));
  });
}

/** Which way of each kind a text is clearly written in. */
function waysOf(text: string, language: string): Readonly<Record<string, string | undefined>> {
  const isScript = language === 'javascript' || language === 'typescript';
  const hasQuotes = isScript || language === 'python';
  return {
    indentation: clearest(indentations(text)),
    ...(hasQuotes && { quotes: clearest(quotesIn(text)) }),
    ...(isScript && { semicolons: clearest(semicolonsIn(text)) }),
    tests: clearest(frameworksIn(text, language)),
  };
}

function clearest(counts: Counts): string | undefined {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const [way, count = 0] = Object.entries(counts).sort(([, a], [, b]) => b - a)[0] ?? [];
  return count >= minSeen && count >= all * clearShare ? way : undefined;
}

function indentations(text: string): Counts {
  const lines = text.split('\n');
  const widths = lines.flatMap((line) => {
    const width = /^( {2,})\S/.exec(line)?.[1]?.length;
    return width === undefined ? [] : [width];
  });
  const least = Math.min(...widths);
  const name = least === 2 || least === 4 ? `${least} spaces` : 'spaces';
  return { tabs: lines.filter((line) => line.startsWith('\t')).length, [name]: widths.length };
}

function quotesIn(text: string): Counts {
  return {
    'double quotes': text.match(/(?<!["'\w])"[^"'\n\\]{0,200}"(?!")/g)?.length ?? 0,
    'single quotes': text.match(/(?<!["'\w])'[^"'\n\\]{0,200}'(?!')/g)?.length ?? 0,
  };
}

function semicolonsIn(text: string): Counts {
  const statements = text.split('\n').filter((line) => /[\w)\]'"`];?\s*$/.test(line));
  const ended = statements.filter((line) => line.trimEnd().endsWith(';')).length;
  return { semicolons: ended, 'no semicolons': statements.length - ended };
}

function frameworksIn(text: string, language: string): Counts {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  if (language === 'python') {
    const unittest = count(/\bunittest\b|\bself\.assert\w+\(/g);
    const plain = count(/^(?:async )?def test_\w+\(|\bpytest\b|^assert /gm);
    return unittest > 0 ? { unittest: Math.max(unittest, minSeen) } : { pytest: plain + 1 };
  }
  return {
    'node:test': minSeen * count(/['"]node:test['"]/g),
    Vitest: minSeen * count(/['"]vitest['"]/g),
    Jest: minSeen * count(/['"]@jest\/globals['"]|\bjest\.\w+\(/g),
  };
}

const maxNameLength = 60;

/** The last part of a path, as far as it is plain. */
function fileName(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  return /^[\w.-]+$/.test(name) ? name.slice(0, maxNameLength) : 'a file';
}
