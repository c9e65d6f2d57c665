import { readRules, ruleGroups } from './rules/rule-file.ts';

const intro = `# Security rules

Generated from the rule files by \`npm run docs\`. \`scan_security\` runs these; keys and tokens have [their own page](scan-secrets.md).
A rule of Python carries bandit's number: \`python/S602\` is bandit's B602.`;

/** The page that lists every security rule with its severity. */
export function renderSecurityRules(): string {
  const sections = ruleGroups.map((group) => {
    const rows = [...readRules(group).rules.values()].map(
      ({ id, severity, cwe, message, fix }) =>
        `| \`${id}\` | ${severity} | ${cwe} | ${cell(message)} | ${cell(fix)} |`,
    );
    return `## ${group}\n\n| rule | severity | class | what it means | what to do |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${intro}\n\n${sections.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
