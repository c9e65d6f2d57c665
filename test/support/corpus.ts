import { existsSync, globSync, statSync } from 'node:fs';
import type { Language } from '../../src/toolbox/code/language.ts';

/**
 * Where real sources of a language are found: Debian packages of `test/system-packages.txt` and our
 * own dependencies. Nothing of it is copied into the repository.
 */
const places: Readonly<Record<Language, readonly string[]>> = {
  python: ['/usr/lib/python3.1[0-9]/**/*.py'],
  javascript: [
    'node_modules/{eslint,express,postcss,stylelint,vitest,commander,pino,semver,css-tree}/**/*.js',
  ],
  typescript: [
    'src/**/*.ts',
    'node_modules/zod/src/**/*.ts',
    'node_modules/{@types,hono,prettier,vitest,commander,oxc-parser,@opentelemetry}/**/*.d.ts',
  ],
  java: [
    '/usr/share/doc/libjcsp-java*/**/*.java',
    '/usr/share/doc/antlr*/**/*.java',
    '/usr/share/doc/libjgraph-java*/**/*.java',
  ],
  go: ['/usr/share/go-1.*/src/**/*.go'],
  rust: ['/usr/share/cargo/registry/*/**/*.rs'],
  sql: [
    '/usr/share/goiardi/**/*.sql',
    '/usr/share/doc/goiardi/**/*.sql',
    '/etc/freeradius/3.0/**/*.sql',
    '/usr/share/postgresql/15/**/*.sql',
  ],
  html: [
    '/usr/share/doc/harden-doc/**/*.html',
    '/usr/share/doc/python-behave-doc/**/*.html',
    '/usr/share/javascript/{codemirror,dijit}/**/*.html',
    '/usr/share/doc/{libxslt1-dev,valgrind,libffi8,nodejs}/**/*.html',
  ],
  css: [
    '/usr/share/javascript/{codemirror,dijit,bootswatch,dojo}/**/*.css',
    '/usr/share/doc/python-behave-doc/**/*.css',
    'node_modules/**/*.css',
  ],
};

/** Longer files prove nothing more and would take most of the time. */
const maxBytes = 200_000;
/** Shorter ones hold nothing to format. */
const minBytes = 40;

/** Paths of real files in `language`, sorted, at most `limit`, spread evenly over all that is there. */
export function corpusFiles(language: Language, limit = Number.POSITIVE_INFINITY): string[] {
  const found = new Set(places[language].flatMap((pattern) => globSync(pattern)));
  const usable = [...found].filter(isUsable).sort();
  if (usable.length <= limit) return usable;
  const step = usable.length / limit;
  return Array.from({ length: limit }, (_, index) => usable[Math.floor(index * step)] ?? '');
}

function isUsable(path: string): boolean {
  // Minified and generated texts say nothing about what people format.
  if (/[.-]min\.|\.map$|\/test(s|data)?\/.*(bad|invalid|broken)/.test(path)) return false;
  if (!existsSync(path)) return false;
  const info = statSync(path);
  return info.isFile() && info.size >= minBytes && info.size <= maxBytes;
}
