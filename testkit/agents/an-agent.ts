import { AppError } from '../../src/kernel/index.ts';
import type { Behave } from './an-agency.ts';
import { anAgentFile } from './an-agent-file.ts';

/** Tools of the agency of tests. */
export const agencyTools = [
  'exec.run_tests',
  'code.review_code',
  'code.scan_secrets',
  'admin.show_status',
  'docs.get_docs',
  'workspace.change_files',
  'agent.delegate',
  'foreign.say',
];

export interface Steps {
  readonly [id: string]: string | { readonly agent: string } | { readonly capability: string };
}

/** An agent whose procedure makes these calls. */
export function anAgent(name: string, steps: Steps, lines: readonly string[] = []) {
  const plan = {
    steps: Object.entries(steps).map(([id, step]) =>
      typeof step === 'string'
        ? { id, tool: step, args: {} }
        : { id, tool: 'agent.delegate', args: { ...step, task: 'go on' } },
    ),
  };
  const fieldsOf = (list: readonly string[]) => list.map((line) => line.split(':')[0]);
  const usual = [
    'tools: ["*.*"]',
    'criteria: [tests_pass]',
    `procedures: ${JSON.stringify({ 'things.do': { plan } })}`,
  ].filter((line) => !fieldsOf(lines).includes(line.split(':')[0]));
  const all = [`name: ${name}`, ...usual, ...lines];
  return anAgentFile(all, { path: `${name}.md` });
}

export const passing: Behave = (tool) =>
  tool === 'exec.run_tests' ? { passed: 3, failed: 0 } : { issues_total: 0 };
export const hang: Behave = () => new Promise(() => {});
export const crash: Behave = () => {
  throw new Error('it crashed');
};

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}
