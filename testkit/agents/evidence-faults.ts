import { expect } from 'vitest';
import { type Faults, only } from './agent-faults.ts';
import { anAgent } from './an-agent.ts';

/** Results that show less than they seem to. */
export const evidenceFaults: Faults = [
  [
    'has a template for code',
    {
      files: only({ a: 'code.review_code' }),
      behave: () => ({ verified: false, origin: 'template', level: null }),
    },
    {
      verdict: 'unproven',
      evidence: [{ kind: 'unverified' }],
      missing: expect.arrayContaining([expect.stringContaining('a template to fill in')]),
    },
  ],
  [
    'has a template that is called verified, written to a file, with passing tests',
    {
      files: only({ a: 'code.review_code', b: 'workspace.change_files', c: 'exec.run_tests' }, [
        'criteria: [ran, changed]',
      ]),
      behave: (tool) =>
        tool === 'code.review_code'
          ? { verified: true, origin: 'template', level: 'verified' }
          : tool === 'exec.run_tests'
            ? { passed: 3, failed: 0 }
            : { change_id: 'c1', files: [] },
    },
    { verdict: 'unproven', missing: [expect.stringContaining('a template to fill in')] },
  ],
  [
    'has code that only its author tested, and asks for nothing more',
    {
      files: only({ a: 'code.review_code' }, ['criteria: [ran]']),
      behave: () => ({
        verified: false,
        origin: 'model',
        level: 'self_tested',
        missing: 'yours',
      }),
    },
    {
      verdict: 'unproven',
      missing: ['the code is not verified: level self_tested, not verified; it lacks yours'],
    },
  ],
  [
    'has another write a template for it',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }, ['criteria: [ran]']),
        anAgent('b', { a: 'code.review_code' }, ['criteria: [ran]']),
      ],
      behave: () => ({ verified: false, origin: 'template' }),
    },
    {
      verdict: 'unproven',
      missing: expect.arrayContaining([
        'b: unproven',
        'the code is not verified: a template to fill in, not a solution',
      ]),
    },
  ],
  [
    'relies on another that proves nothing',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }, ['criteria: [ran]']),
        anAgent('b', { a: 'exec.run_tests' }),
      ],
      behave: () => ({ passed: 0, failed: 0 }),
    },
    { verdict: 'unproven', missing: expect.arrayContaining(['b: unproven']) },
  ],
  [
    'repeats by a tool that scans what tests said',
    {
      files: only({ a: 'code.review_code', b: 'admin.show_status' }),
      behave: () => ({ passed: 9, failed: 0, change_id: 'c9' }),
    },
    { verdict: 'unproven', evidence: [{ kind: 'ran' }, { kind: 'ran' }], changes: [] },
  ],
  [
    'scans where there is nothing',
    {
      files: only({ a: 'code.scan_secrets' }, ['criteria: [findings_counted]']),
      behave: () => ({ findings: [], findings_total: 0, files_scanned: 0 }),
    },
    { verdict: 'unproven', findings: [], missing: ['nothing was scanned or reviewed'] },
  ],
  [
    'finds nothing to show',
    {
      files: only({ a: 'docs.get_docs' }, ['criteria: [ran]']),
      behave: () => ({ library: 'left-pad', passages: [] }),
    },
    { verdict: 'unproven' },
  ],
];
