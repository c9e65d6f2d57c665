import type { ConfigData, HtmlValidate, Message } from 'html-validate';
import { syntaxError, TooComplexError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import {
  findingOf,
  isWanted,
  readLintData,
  type LintFinding,
  type LintSetup,
  type TextEdit,
} from './lint-data.ts';

/** XML syntax is right in XHTML, and names have a case there. */
const htmlOnlyRules: ReadonlySet<string> = new Set(
  'void-style no-self-closing element-case attr-case'.split(' '),
);

/** Above this size the rules that search the whole document for each element do not run. */
const maxSearchedCharacters = 300_000;

/** How many open elements the engine can take without running out of stack. */
const maxOpenElements = 1_000;

/** HTML by html-validate, with a configuration of ours. */
export async function lintHtml(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  if (countOpenElements(file.text) > maxOpenElements)
    throw new TooComplexError(file.path, 'it is nested too deeply');
  const validator = await createValidator(file, setup);
  const report = await validator.validateString(file.text);
  const messages = report.results[0]?.messages ?? [];
  // It does not tell what it left out, so it looks again at a text whose comments say nothing to it.
  const unmarked = file.text.replaceAll('html-validate-disable', 'html-validate-nothing');
  if (setup.onSilenced && unmarked !== file.text) {
    const all = await validator.validateString(unmarked);
    setup.onSilenced(Math.max(0, (all.results[0]?.messages.length ?? 0) - messages.length));
  }
  const problem = messages.find(({ ruleId }) => ruleId === 'parser-error');
  if (problem) throw syntaxError(file, problem, problem.message);
  // A piece of a page has no doctype.
  const isPage = /<html[\s>]/i.test(file.text);
  return messages
    .filter(({ ruleId }) => isPage || ruleId !== 'missing-doctype')
    .flatMap((message) => toFinding(message, file));
}

async function createValidator(file: SourceFile, setup: LintSetup): Promise<HtmlValidate> {
  const { HtmlValidate, StaticConfigLoader } = await import('html-validate');
  const isLarge = file.text.length > maxSearchedCharacters;
  const rules: NonNullable<ConfigData['rules']> = {};
  for (const { name, optIn, quadratic, options } of readLintData('html').rules) {
    if (!isWanted(setup.guide, name, optIn) || (isLarge && quadratic)) continue;
    if (isXhtml(file) && htmlOnlyRules.has(name)) continue;
    rules[name] = typeof options === 'object' ? ['error', options] : 'error';
  }
  return new HtmlValidate(new StaticConfigLoader({ root: true, elements: ['html5'], rules }));
}

function toFinding(message: Message, file: SourceFile): LintFinding[] {
  const rule = readLintData('html').byName.get(message.ruleId);
  if (!rule) return [];
  const edit = isXhtml(file) ? undefined : safeEdit(message, file.text);
  const fix = edit && `Write ${edit.text}`;
  return [findingOf(rule, file, { ...message, fix, safeFix: edit && [edit] })];
}

/** By its name or by what it says at its beginning. */
function isXhtml(file: SourceFile): boolean {
  const head = file.text.slice(0, maxHead);
  return (
    file.path.endsWith('.xhtml') || /^\s*<\?xml|<!DOCTYPE[^>]*XHTML|<html[^>]*\sxmlns=/i.test(head)
  );
}

const maxHead = 2_000;

/** Fixes after which a browser builds the same document. */
function safeEdit(message: Message, text: string): TextEdit | undefined {
  const start = message.offset;
  const end = start + message.size;
  const found = text.slice(start, end);
  switch (message.ruleId) {
    case 'attr-quotes': {
      const [, name = '', value = ''] = /^([^\s=]+=)([^\s"'`=<>]+)$/.exec(found) ?? [];
      return value === '' || value.endsWith('/')
        ? undefined
        : { start, end, text: `${name}"${value}"` };
    }
    case 'void-style':
      // After an unquoted value the slash belongs to the value.
      return found === '/>' && isAfterClearEnd(text, start) ? { start, end, text: '>' } : undefined;
    case 'attr-case':
      return /^[A-Za-z-]+$/.test(found) ? { start, end, text: found.toLowerCase() } : undefined;
    default:
      return undefined;
  }
}

const maxTagName = 64;

function isAfterClearEnd(text: string, at: number): boolean {
  return /(?:<[a-z][a-z0-9]*|["'\s])$/i.test(text.slice(Math.max(0, at - maxTagName), at));
}

/** The most elements open at once, counted by tags alone; those that never close are left out. */
function countOpenElements(text: string): number {
  let open = 0;
  let most = 0;
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9-]*)/gi)) {
    if (freeElements.has(name.toLowerCase())) continue;
    open = slash ? Math.max(0, open - 1) : open + 1;
    most = Math.max(most, open);
  }
  return most;
}

/** Elements whose end tag is missing or may be. */
const freeElements: ReadonlySet<string> = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr p li dt dd option tr td th thead tbody ' +
    'tfoot colgroup rt rp optgroup'
  ).split(' '),
);
