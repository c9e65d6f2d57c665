import type { Given } from './context.ts';
import type { Slots } from '../words/find-slots.ts';
import type { ToolProfile } from './tool-profile.ts';
import type { Capability } from '../reading/wish.ts';

/** What a step or a given thing holds. */
export type DataKind = 'code' | 'tests' | 'review' | 'spec' | 'text' | 'report' | 'url' | 'none';

/** Where a step's material comes from. */
export type Source =
  | { readonly from: 'step'; readonly step: string; readonly kind: DataKind }
  | { readonly from: 'given'; readonly given: Given };

/** A step before its arguments are written out. */
export interface Draft {
  readonly id: string;
  readonly capability: Capability;
  readonly tool: ToolProfile;
  /** What the step works on, the main thing first. */
  readonly sources: readonly Source[];
  /** What the message says about it. */
  readonly text: string;
  readonly slots: Slots;
  readonly path?: string;
  readonly language?: string;
  readonly gives: DataKind;
}

/** What each capability gives, for those after it. */
export const givenBy: Readonly<Record<Capability, DataKind>> = {
  spec: 'spec',
  code: 'code',
  tests: 'tests',
  review: 'review',
  read: 'text',
  write: 'none',
  runTests: 'report',
  createIssue: 'url',
  listIssues: 'text',
  pullRequest: 'url',
  message: 'none',
  email: 'none',
  search: 'text',
  summary: 'text',
  format: 'code',
  complexity: 'report',
  imports: 'report',
  secrets: 'report',
  securityScan: 'report',
  vulnerabilities: 'report',
  runCode: 'report',
  docs: 'text',
  standard: 'text',
  fixes: 'code',
  status: 'report',
};

/** How steps are called in plans. */
export const stepNames: Readonly<Record<Capability, string>> = {
  spec: 'spec',
  code: 'code',
  tests: 'tests',
  review: 'review',
  read: 'file',
  write: 'save',
  runTests: 'test_run',
  createIssue: 'issue',
  listIssues: 'issues',
  pullRequest: 'pull_request',
  message: 'message',
  email: 'email',
  search: 'search',
  summary: 'summary',
  format: 'format',
  complexity: 'complexity',
  imports: 'imports',
  secrets: 'secrets',
  securityScan: 'scan',
  vulnerabilities: 'vulnerabilities',
  runCode: 'run_code',
  docs: 'docs',
  standard: 'standard',
  fixes: 'fixes',
  status: 'status',
};
