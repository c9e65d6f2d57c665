import type { SourceFile } from '../../source-files.ts';
import { isPlaceholder } from '../../secrets/judge-secret.ts';
import type { FileScan } from '../scan-file-security.ts';
import { findingOf, type SecurityFinding } from '../security-rule.ts';
import { TextPositions } from '../../text-positions.ts';
import { splitStatements, type SqlStatement } from './sql-statements.ts';
import { sqlRules } from './sql-rules.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** SQL of any dialect, by its statements; nothing has to parse. */
export async function scanSql(file: SourceFile): Promise<FileScan> {
  const places = new TextPositions(file.text);
  const findings: SecurityFinding[] = [];
  for (const statement of splitStatements(file.text)) {
    for (const [name, matcher] of Object.entries(sqlMatchers)) {
      const rule = sqlRules.get(name);
      const at = rule && matcher(statement);
      if (!rule || at === undefined) continue;
      findings.push(findingOf(rule, { file: file.path, ...places.position(statement.start + at) }));
    }
  }
  return { findings };
}

/** Offset of the match inside the statement. */
type SqlMatcher = (statement: SqlStatement) => number | undefined;

function find(text: string, pattern: RegExp): number | undefined {
  return pattern.exec(text)?.index;
}

/** Inside code, where the contents of literals are blank. */
const inCode =
  (pattern: RegExp, unless?: RegExp): SqlMatcher =>
  ({ code }) =>
    unless?.test(code) ? undefined : find(code, pattern);

const inText =
  (pattern: RegExp): SqlMatcher =>
  ({ text }) => {
    const match = pattern.exec(text);
    const secret = match?.groups?.['secret'];
    return match && !(secret !== undefined && isPlaceholder(secret)) ? match.index : undefined;
  };

const isTriggerOrGrant =
  /\b(?:trigger|grant|revoke|for\s+update|on\s+(?:update|delete)|policy|do\s+update|rule)\b/i;

export const sqlMatchers: Readonly<Record<string, SqlMatcher>> = lookupTable({
  'grant-all': inCode(/\bgrant\s{1,20}all\b/i),
  'grant-public': inCode(/\bgrant\b[^;]{1,500}\bto\s{1,20}public\b/i),
  'grant-option': inCode(/\bwith\s{1,20}(?:grant|admin)\s{1,20}option\b/i),
  'dynamic-sql': ({ code }) =>
    find(
      code,
      /\bexec(?:ute)?(?:\s{1,20}immediate)?\s{0,20}\(?\s{0,20}(?:'[ \n]{0,500}'|@?\w{1,100})\s{0,20}(?:\|\||\+)/i,
    ) ??
    find(code, /\bset\s{1,20}@\w{1,100}\s{0,20}=\s{0,20}N?'[ \n]{0,500}'\s{0,20}\+\s{0,20}@/i) ??
    find(code, /\bprepare\s{1,20}\w{1,100}\s{1,20}from\s{1,20}concat\b/i),
  'delete-all': ({ code }) =>
    /\bwhere\b|\bjoin\b|\busing\b|\blimit\b/i.test(code) || isTriggerOrGrant.test(code)
      ? undefined
      : find(code, /(?:^|\b(?:begin|then|else|do)\s)\s{0,200}delete\s{1,20}from\b/i),
  'update-all': ({ code }) =>
    /\bwhere\b|\bjoin\b|\bfrom\b|\blimit\b/i.test(code) || isTriggerOrGrant.test(code)
      ? undefined
      : find(
          code,
          /(?:^|\b(?:begin|then|else|do)\s)\s{0,200}update\s{1,20}[\w.[\]"`]{1,200}\s{1,20}set\b/i,
        ),
  'always-true': inText(
    /\b(?:or|where)\s{1,20}(?:1\s{0,5}=\s{0,5}1|'(\w{0,20})'\s{0,5}=\s{0,5}'\1'|true\b\s{0,20}(?:--|$))/i,
  ),
  'literal-password': inText(
    /\b(?:identified\s{1,20}by(?:\s{1,20}password)?|(?:encrypted\s{1,20})?password\s{0,10}=?|set\s{1,20}password[^;']{0,100}=)\s{0,20}(?:password\s{0,5}\(\s{0,5})?'(?<secret>[^'\n]{1,200})'/i,
  ),
  'plain-password-column': ({ code }) =>
    /\bcreate\s{1,20}(?:\w{1,20}\s{1,20})?table\b/i.test(code)
      ? find(
          code,
          /\b(?:password|passwd|pwd|user_password)["`\]]?\s{1,20}(?:varchar|text|char|nvarchar|character)/i,
        )
      : undefined,
  'inserted-password': ({ text, code }) =>
    /\binsert\s{1,20}into\b[^;]{0,200}\([^)]{0,1000}\b(?:password|passwd|pwd)\b/i.test(code) &&
    !/hash|crypt|digest|sha|pbkdf|\$2[aby]\$|\$argon/i.test(text) &&
    /\bvalues\b[^;]{0,200}'/i.test(code)
      ? find(code, /\binsert\b/i)
      : undefined,
  'shell-from-sql': inCode(
    /\bxp_cmdshell\b|\bsp_oacreate\b|\bcopy\b[^;]{0,300}\b(?:from|to)\s{1,20}program\b|\bdbms_scheduler\s{0,5}\.\s{0,5}create_job\b|\bsys_exec\b|\bsys_eval\b/i,
  ),
  'file-access': inCode(
    /\binto\s{1,20}(?:outfile|dumpfile)\b|\bload_file\s{0,5}\(|\bload\s{1,20}data\s{1,20}(?:local\s{1,20})?infile\b|\bpg_read_file\s{0,5}\(|\blo_import\s{0,5}\(|\butl_file\s{0,5}\./i,
  ),
  'weak-hash': inText(
    /\b(?:md5|sha1?)\s{0,5}\(|\bhashbytes\s{0,5}\(\s{0,5}'(?:md[245]|sha1?)'|\bdigest\s{0,5}\([^;)]{1,200},\s{0,5}'(?:md5|sha1)'/i,
  ),
  'definer-rights': inCode(/\bsecurity\s{1,20}definer\b/i, /\bset\s{1,20}search_path\b/i),
  'security-off': inCode(
    /\bdisable\s{1,20}row\s{1,20}level\s{1,20}security\b|\bset\s{1,20}(?:global\s{1,20})?(?:foreign_key_checks|sql_safe_updates)\s{0,5}=\s{0,5}0|\bnocheck\s{1,20}constraint\b|\btrustworthy\s{1,20}on\b|\bcheck_policy\s{0,5}=\s{0,5}off|\bnoaudit\b|\baudit_trail\s{0,5}=\s{0,5}none/i,
  ),
  'any-host': inText(
    /\b(?:to|user)\s{1,20}(?:if\s{1,20}not\s{1,20}exists\s{1,20})?['"`]?\w{1,64}['"`]?\s{0,2}@\s{0,2}['"`]%['"`]/i,
  ),
  superuser: inCode(
    /\b(?:create|alter)\s{1,20}(?:role|user)\b[^;]{1,200}\bsuperuser\b|\bsp_addsrvrolemember\b|\balter\s{1,20}server\s{1,20}role\s{1,20}\[?sysadmin\b|\bgrant\s{1,20}dba\b/i,
    /\bnosuperuser\b/i,
  ),
});
