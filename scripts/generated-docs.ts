import { loadDocuments } from '../src/api/index.ts';
import { errorCodes, type ErrorCodeEntry } from '../src/contract/error/index.ts';
import { ownVersion } from '../src/kernel/index.ts';
import { renderSecurityRules } from '../src/toolbox/code/security/security-rules.ts';
import { renderOperations, type ApiDocument } from './render-client.ts';
import { renderAlertsDoc } from './render-alerts-doc.ts';
import { renderMetricsDoc } from './render-metrics-doc.ts';
import { renderDashboards } from './render-dashboards.ts';
import { renderConfigurationDoc } from './render-configuration-doc.ts';

export interface GeneratedDoc {
  /** From the top of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Every file of `docs/` that is made from the sources. */
export async function generatedDocs(): Promise<readonly GeneratedDoc[]> {
  const { openapi, postman } = await loadDocuments(ownVersion());
  return [
    { path: 'docs/configuration.md', text: renderConfigurationDoc() },
    { path: 'docs/metrics.md', text: renderMetricsDoc() },
    { path: 'docs/built-in-alerts.md', text: renderAlertsDoc() },
    ...renderDashboards(),
    { path: 'docs/errors.md', text: renderErrorsDoc() },
    { path: 'docs/security-rules.md', text: renderSecurityRules() },
    { path: 'docs/openapi.json', text: `${JSON.stringify(openapi, null, 2)}\n` },
    {
      path: 'src/client/operations.ts',
      text: renderOperations(openapi as unknown as ApiDocument),
    },
    { path: 'docs/postman.json', text: `${JSON.stringify(postman, null, 2)}\n` },
  ];
}

function renderErrorsDoc(): string {
  const entries: readonly (readonly [string, ErrorCodeEntry])[] = Object.entries(errorCodes);
  const rows = [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { meaning, remedy, exitCode, httpStatus }]) =>
        `| \`${code}\` | ${cell(meaning)} | ${cell(remedy)} | ${exitCode} | ${httpStatus} |`,
    );
  return `${errorsIntro}\n\n| code | what happened | what to do | exit | HTTP |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

const errorsIntro = `# Error codes

Generated from the table of error codes by \`npm run docs\`. The meaning of a code never changes. The terminal prints it in
parentheses at the end, \`--json\` in \`error.code\`; an MCP tool result has it in \`_meta["tutti/error"].code\`. "exit" is the exit code of a
command that ends with it, "HTTP" the status of a request that fails with it.`;

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
