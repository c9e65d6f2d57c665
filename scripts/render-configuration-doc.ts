import { aboutOf, mcpServerSettings } from '../src/contract/settings/index.ts';
import { expectationOf } from '../src/config/check-value.ts';
import { asSchema, defaultOf, listSettings, type Setting } from '../src/config/setting.ts';

/** `docs/configuration.md`: every setting with its default, type, variables and meaning. */
export function renderConfigurationDoc(): string {
  const settings = listSettings();
  const groups = Map.groupBy(settings, (setting) => setting.path.slice(0, -1).join('.'));
  const sections = [...groups].map(
    ([group, members]) =>
      `## ${group === '' ? 'Top level' : `\`${group}\``}\n\n${members.map(renderSetting).join('\n')}`,
  );
  return `${[intro, ...sections, renderMcpServer()].join('\n\n')}\n`;
}

const intro = `# Settings

Generated from the settings schema by \`npm run docs\`; [configure.md](configure.md) explains how to set them.
A setting comes from, strongest first: a flag, an environment variable, the project's \`tutti.yaml\`, the
user's \`config.yaml\`, its default. \`tutti config\` shows the effective ones and where each came from.
"Not from a project’s file" means that \`tutti.yaml\` may not set it: a project that was merely downloaded must not
decide where files are written, what may be read and where data is sent.`;

function renderSetting(setting: Setting): string {
  const { key, description, variables, schema, traits } = setting;
  const flag = traits.flag === undefined ? '' : `, flag \`${traits.flag}\``;
  const names = variables.map((name) => `\`${name}\``).join(', ');
  return [
    `- **\`${key}\`**: ${description}`,
    `  - ${expectationOf(schema)}; default: ${defaultText(setting)}`,
    `  - ${names}${flag}${projectText(setting)}`,
  ].join('\n');
}

function projectText({ traits }: Setting): string {
  if (traits.isUserOnly === true) return '; not from a project’s file';
  if (traits.isWithinProject === true) return '; from a project’s file only at or below its folder';
  return traits.needsTrust === true ? '; from a project’s file only after `tutti trust`' : '';
}

function defaultText({ traits, defaultValue }: Pick<Setting, 'traits' | 'defaultValue'>): string {
  if (traits.defaultText !== undefined) return traits.defaultText;
  if (defaultValue === undefined) return 'not set';
  return `\`\`${JSON.stringify(defaultValue)}\`\``;
}

function renderMcpServer(): string {
  const keys = Object.entries(mcpServerSettings.shape).map(([name, inner]) => {
    const schema = asSchema(inner);
    const traits = aboutOf(schema);
    const standard = defaultText({ traits, defaultValue: defaultOf(schema) });
    return `- **\`${name}\`**: ${traits.description}\n  - ${expectationOf(schema)}; default: ${standard}`;
  });
  return [
    '## One entry of `mcpServers`',
    '',
    'Either `command` or `url` is needed; keys of other MCP clients that are not listed here are kept and ignored. In `command`,',
    '`args`, `env`, `cwd`, `url` and `headers`, `${NAME}` or `${env:NAME}` stands for an environment variable, `${NAME:-text}` for one',
    'with a text to take when it is not set, `${file:/path}` for the contents of a file, and `$${` for `${`.',
    '',
    ...keys,
  ].join('\n');
}
