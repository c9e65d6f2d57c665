import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Rooms whose comments, names and sentences use the words of the field. A room joins the list once it has been cleaned. */
const cleanedRooms = [
  'access',
  'api',
  'cli',
  'client',
  'compose',
  'config',
  'contract',
  'fleet',
  'gateway',
  'http',
  'models',
  'observe',
  'protocol',
  'store',
  'artifacts',
  'kernel',
  'memory',
  'sandbox',
  'toolbox',
  'workflow',
];
/**
 * Parts of them that are still to be cleaned, the file that names the Linux user `nobody`, and the words of
 * users.
 */
const uncleaned = [
  'src/cli/first-answers/',
  'src/sandbox/bubblewrap/bwrap-command.ts',
  'src/toolbox/phrases/phrases.json',
];

/** Say what happens, and to which noun: "has no owner" instead of "nobody has it". */
const phrases =
  /\b(?:nobody|somebody|everybody|anybody|whoever|likings?|tuttis)\b|\bcame (?:to|of)\b|\b(?:is|are|was|were) (?:told|had)\b/i;

/** Metaphors in names cost every reader a lookup. */
const metaphors = /^\w*(?:Desk|Bell|Errand|Stake|Voice|Patient|Attorney)$/;

/** Words of the "we avoid" column that also have a meaning of their own. */
const otherMeanings = new Set(
  (
    'action builtins chat cluster container control decision diagnostic diagnostics entry env event execution fault function ' +
    'goal history index interface job layer log manifest message mode module mutation node option package permission plugin ' +
    'policy pool preference problem profile provider purpose quota registry report runtime scope status ' +
    'task thread untrusted workspace blob sdk checkpoint allowance'
  ).split(' '),
);

function avoidedTerms(): string[] {
  const rows = readFileSync('GLOSSARY.md', 'utf8').matchAll(/^\| \*\*.+?\*\* \| .* \| (.*) \|$/gm);
  return [...rows]
    .flatMap(([, avoided = '']) => avoided.split(','))
    .map((term) => term.trim().toLowerCase())
    .filter((term) => term !== '' && term !== '–');
}

/** The names that a text declares, each as its words: `createPlanDesk` is "create plan desk". */
function declaredNames(text: string): { name: string; words: string }[] {
  const declarations = /\b(?:const|let|function\*?|class|interface|type|readonly)\s+([A-Za-z]\w*)/g;
  return [...text.matchAll(declarations)].map(([, name = '']) => ({
    name,
    words: (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).join(' ').toLowerCase(),
  }));
}

function violationsIn(file: string, text: string, terms: readonly string[]): string[] {
  const lines = text.split('\n').flatMap((line, index) => {
    const [found] = phrases.exec(line) ?? [];
    return found === undefined ? [] : [`${file}:${index + 1}: "${found}"`];
  });
  const names = declaredNames(text).flatMap(({ name, words }) => {
    const term = terms.find((one) => ` ${words} `.includes(` ${one} `));
    if (term !== undefined) return [`${file}: ${name} ("${term}" is in the "we avoid" column)`];
    return metaphors.test(name) ? [`${file}: ${name} is a metaphor`] : [];
  });
  return [...lines, ...names];
}

describe('the words of the cleaned rooms', () => {
  const avoided = avoidedTerms();
  const terms = avoided.filter((term) => !otherMeanings.has(term));
  const files = cleanedRooms
    .flatMap((room) =>
      readdirSync(`src/${room}`, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|json|md)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    .filter((path) => !/\.(?:test|suite)\.ts$|\/testing\//.test(path))
    .filter((path) => !uncleaned.some((part) => path.startsWith(part)));

  it('are those of the glossary and the style guide', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(terms.length).toBeGreaterThan(30);
    expect(files.flatMap((path) => violationsIn(path, readFileSync(path, 'utf8'), terms))).toEqual(
      [],
    );
  });

  it('have no exception that the glossary does not name', () => {
    expect([...otherMeanings].filter((word) => !avoided.includes(word))).toEqual([]);
  });

  it.each([
    ['a comment', '/** What the run came to, which nobody knows. */'],
    ['a sentence', "log.warn('somebody who listens to runs failed');"],
    ['a metaphor', 'interface FrontDesk {}'],
    ['an avoided term', 'const sideEffect = 1;'],
  ])('are noticed where they are wrong: %s', (_what, text) => {
    expect(violationsIn('a.ts', text, terms)).not.toEqual([]);
  });
});
