import { expect, it } from 'vitest';
import { hasOwnField } from './read-agent-file.ts';

const file = (...fields: readonly string[]): string => ['---', ...fields, '---', ''].join('\n');

it.each([
  'capabilities: [a.b]',
  'capabilites: [a.b]',
  'versoin: 1.0.0',
  'limits: { calls: 5 }',
  'criteria: [tests_pass]',
])('a file with %s was meant for Tutti, and its mistakes are reported', (field) => {
  expect(hasOwnField(file('name: x', field))).toBe(true);
});

it.each([
  'color: red',
  'mode: subagent',
  'temperature: 0.1',
  'permissionMode: plan',
  'hooks:',
  'skills: a',
  'mcpServers: a',
  'model: opus',
])('a file with %s may be one of another assistant', (field) => {
  expect(hasOwnField(file('name: x', 'tools: Read', field))).toBe(false);
});
