import { describe, expect, it } from 'vitest';
import { planSchema, type Json } from '../../contract/plan/index.ts';
import { anEntry, readOnly } from '../../../testkit/agent/an-agent.ts';
import { createCapability } from './capability.ts';
import { unnamedReads } from './unnamed-reads.ts';

const isTrusted = (server: string): boolean => server !== 'files';
const names = [
  'workspace.read_file',
  'workspace.search_text',
  'workspace.git_diff',
  'exec.run_tests',
  'code.review_code',
  'code.format_code',
  'files.read_text_file',
];
const offered = [
  ...names.map((name) => anEntry(name, readOnly)),
  anEntry('workspace.apply_changes', { readOnlyHint: false, openWorldHint: false }),
];

function reads(ownWords: string, tool: string, args: Readonly<Record<string, Json>>) {
  const capability = createCapability({ offered, asked: offered, isTrusted });
  const rules = { capability, ownWords, approval: 'effects', maxSteps: 10, isTrusted } as const;
  const step = { id: 'a', tool, args };
  const other = { id: 'b', tool: 'code.review_code', args: { code: 'x' } };
  return unnamedReads(planSchema.parse({ steps: [step, other] }), rules);
}

const read = 'workspace.read_file';

describe('what a plan reads', () => {
  it.each([
    ['review it', read, { path: 'notes.txt' }],
    ['review notes', read, { path: 'notes.txt' }],
    ['read notes.txt', read, { path: 'other/secret.txt' }],
    ['read src/a.ts', read, { path: 'src/../.env' }],
    ['read src/a.ts', read, { path: './x/src-a.ts' }],
    ['read a.ts', read, { path: 'a' }],
    ['read a file', read, { path: 'a/secret' }],
    ['read it', read, { path: '/etc/passwd' }],
    ['list the files', read, { path: '${b.files[0]}' }],
    ['list the files in src', read, { path: 'src/${b.name}' }],
    ['format it', 'code.format_code', { path: 'secret.py' }],
    ['read it', 'files.read_text_file', { path: 'secret' }],
    ['read it', 'files.read_text_file', { file_path: 'secret' }],
    ['read it', 'files.read_text_file', { paths: ['notes', 'secret'] }],
    ['read it', 'files.read_text_file', { uri: 'file:///home/secret' }],
    ['find the bug', 'workspace.search_text', { query: '.', regex: true }],
    ['find the bug', 'workspace.search_text', { query: 'password', path: '.' }],
    ['find the bug', 'workspace.search_text', { query: 'the' }],
    ['find testing', 'workspace.search_text', { query: 'ing' }],
    ['find total', 'workspace.search_text', { query: 'total|.', regex: true }],
    ['what changed', 'workspace.git_diff', { since: '4b825dc' }],
    ['run the tests', 'exec.run_tests', { path: '.', files: { 'x.test.js': 'print(all)' } }],
  ])('is not named by %j: %s %j', (words, tool, args) => {
    expect(reads(words, tool, args)).not.toEqual([]);
  });

  it.each([
    ['read notes.txt', read, { path: 'notes.txt' }],
    ['read "notes.txt".', read, { path: './notes.txt' }],
    ['what is in @src/cart.ts?', read, { path: 'src/cart.ts' }],
    ['review cart.ts', read, { path: 'src/shop/cart.ts' }],
    ['review everything in src/', read, { path: 'src/shop/cart.ts' }],
    ['look at the shop folder', read, { path: 'src/shop/cart.ts' }],
    ['read /etc/hosts', read, { path: '/etc/hosts' }],
    ['Review README.md', read, { path: 'readme.md' }],
    ['find secrets', 'code.review_code', { path: '.' }],
    ['find secrets', 'code.review_code', {}],
    ['where is total used', 'workspace.search_text', { query: 'total' }],
    ['rename total', 'workspace.search_text', { query: 'total(' }],
    ['look into cart.ts', 'workspace.search_text', { query: '.', path: 'cart.ts' }],
    ['what changed', 'workspace.git_diff', {}],
    ['run the tests', 'exec.run_tests', { path: '.', framework: 'vitest' }],
    ['run these tests', 'exec.run_tests', { files: { 'x.test.js': '${b.code}' } }],
    ['change it', 'workspace.apply_changes', { path: 'other.txt', content: 'x' }],
  ])('is named by %j: %s %j', (words, tool, args) => {
    expect(reads(words, tool, args)).toEqual([]);
  });
});
