import type { McpServer } from '../../contract/server/index.ts';
import type { DefinedTool } from '../define-tool.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import type { CodeContext, CodeSettings } from './code-context.ts';
import { analyzeComplexityTool } from './complexity/analyze-complexity-tool.ts';
import { analyzeDependenciesTool } from './dependencies/analyze-dependencies-tool.ts';
import { Ruff } from './engines/ruff.ts';
import { refactorCodeTool } from './refactor/refactor-code-tool.ts';
import { teamStandards } from './review/code-standard.ts';
import { reviewCodeTool } from './review/review-code-tool.ts';
import { scanSecretsTool } from './secrets/scan-secrets-tool.ts';
import { scanSecurityTool } from './security/scan-security-tool.ts';
import { SourceFiles } from './source-files.ts';
import { SyntaxTrees } from './syntax-tree.ts';
import { scanDependenciesTool } from './vulnerabilities/scan-dependencies-tool.ts';
import { formatCodeTool } from './format/format-code-tool.ts';

/** Plain data, so that it can be handed to a worker thread. */
export interface CodeServerOptions {
  readonly version: string;
  /** The folders whose files the tools may read. */
  readonly roots: readonly string[];
  readonly settings: CodeSettings;
  /** The project's own standards, whose limits a review uses. */
  readonly standardsDirectory: string | undefined;
}

/** The code tools, with their engines in the calling thread. */
export function createCodeServer(options: CodeServerOptions): McpServer {
  return createToolboxServer({ ...describeServer(options), tools: codeTools(options) });
}

export function describeServer(options: CodeServerOptions) {
  return {
    name: 'code',
    title: 'Code tools',
    version: options.version,
    instructions:
      'Formats, measures, reviews, scans and refactors Python, JavaScript, TypeScript, Java, Go, Rust, SQL, ' +
      'HTML and CSS without a model: these tools take "code" or a "path" inside the allowed roots. Those named generate_… and ' +
      'formalize_task ask a model and check what it writes. None changes a file.',
  };
}

export function codeTools(options: CodeServerOptions): readonly DefinedTool[] {
  const context: CodeContext = {
    sources: new SourceFiles(options.roots, { exclude: options.settings.exclude }),
    trees: new SyntaxTrees(),
    ruff: new Ruff(),
    settings: options.settings,
  };
  return [
    formatCodeTool(context),
    analyzeComplexityTool(context),
    reviewCodeTool(context, teamStandards(options.standardsDirectory)),
    refactorCodeTool(context),
    scanSecurityTool(context),
    scanSecretsTool(context),
    scanDependenciesTool(context),
    analyzeDependenciesTool(context),
  ];
}
