import { aCallContext } from '../../../testing/call-context.ts';
import { aCodeContext } from '../../../testing/code-context.ts';
import { formatCodeTool } from '../format-code-tool.ts';

/** SQL as the tool formats it. */
export async function formatSqlText(code: string): Promise<string> {
  const job = { code, language: 'sql' };
  const result = await formatCodeTool(aCodeContext()).call(job, aCallContext());
  return String(result.structuredContent?.['formatted_code']);
}
