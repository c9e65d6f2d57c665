import { aCallContext } from '../../call-context.ts';
import { aCodeContext } from '../../code-context.ts';
import { formatCodeTool } from '../../../../src/toolbox/code/format/format-code-tool.ts';

/** SQL as the tool formats it. */
export async function formatSqlText(code: string): Promise<string> {
  const job = { code, language: 'sql' };
  const result = await formatCodeTool(aCodeContext()).call(job, aCallContext());
  return String(result.structuredContent?.['formatted_code']);
}
