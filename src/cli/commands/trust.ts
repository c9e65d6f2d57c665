import type {
  ProjectServers,
  ServerFiles,
  ShownServer,
} from '../../contract/server-files/index.ts';
import { askYes } from '../ask-line.ts';
import { NeedsAnswerError, UsageError } from '../errors.ts';
import { type Invocation, openFiles } from '../invocation.ts';
import { formatColumns } from '../output.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { options, output } = invocation;
  const flags = ['yes', 'list', 'revoke'].filter((name) => options[name] === true);
  if (flags.length > 1) throw new UsageError(`--${flags.join(' and --')} exclude each other`);
  const files = await openFiles(invocation);
  if (options['list'] === true) {
    const trusted = await files.trusted();
    output.result(trusted, () =>
      trusted.length === 0
        ? 'No project is trusted.'
        : formatColumns(trusted.map(({ file, trustedAt }) => [file, trustedAt])),
    );
    return 0;
  }
  return options['revoke'] === true ? revoke(invocation, files) : grant(invocation, files);
}

async function revoke({ output }: Invocation, files: ServerFiles): Promise<number> {
  const file = files.project?.file ?? null;
  const wasTrusted = await files.revoke();
  output.result({ file, wasTrusted, isTrusted: false }, () =>
    wasTrusted
      ? `The servers in ${file ?? 'this folder'} do not start any more.`
      : 'This project was not trusted.',
  );
  return 0;
}

async function grant(invocation: Invocation, files: ServerFiles): Promise<number> {
  const { io, options, output } = invocation;
  const { project, agents } = files;
  const hasServers = project !== undefined && project.servers.length + project.settings.length > 0;
  if (agents) return grantAgents(invocation, files, hasServers ? project : undefined);
  if (!hasServers) {
    const file = project?.file ?? null;
    output.result({ file, isTrusted: false, servers: [] }, () =>
      file === null
        ? 'There is no tutti.yaml here, so there is nothing to trust.'
        : `${file} names no servers, so there is nothing to trust.`,
    );
    return 0;
  }
  const { file, servers, settings, files: named } = project;
  const asked = { file, servers, settings, files: named };
  const shown = describeProject(project);
  if (project.isTrusted) {
    output.result({ ...asked, isTrusted: true }, () => `${shown}\n\n${file} is trusted.`);
    return 0;
  }
  // What is agreed to is shown before it is agreed to, also where the answer is on the command line.
  const wish =
    servers.length > 0 ? 'run on your machine, with your rights' : 'change how Tutti works';
  output.note(`${file} wants to ${wish}:\n\n${shown}\n`);
  if (options['yes'] !== true) {
    const answer = await askYes(io, 'Do you trust it?');
    if (answer === undefined) throw new NeedsAnswerError(`Trust in ${file}`, '--yes');
    if (!answer) {
      output.result({ ...asked, isTrusted: false }, () => 'Nothing was changed.');
      return 0;
    }
  }
  await files.trust();
  output.result({ ...asked, isTrusted: true }, () => `${file} is trusted.`);
  return 0;
}

/** Agents of the project, with its servers where it has some: one answer for all of it. */
async function grantAgents(
  { io, options, output }: Invocation,
  files: ServerFiles,
  project: ProjectServers | undefined,
): Promise<number> {
  const { folder = '', files: paths = [], isTrusted = false } = files.agents ?? {};
  const shown = [
    ...(project ? [describeProject(project)] : []),
    [
      'Agent files, which say what agents may call and do:',
      ...paths.map((path) => `  ${quote(path)}`),
    ].join('\n'),
  ].join('\n\n');
  const asked = { file: project?.file ?? null, folder, agents: paths };
  if (isTrusted && project?.isTrusted !== false) {
    output.result({ ...asked, isTrusted: true }, () => `${shown}\n\n${folder} is trusted.`);
    return 0;
  }
  output.note(`${shown}\n`);
  const answer = options['yes'] === true ? true : await askYes(io, 'Do you trust it?');
  if (answer === undefined) throw new NeedsAnswerError(`Trust in ${folder}`, '--yes');
  if (answer) await files.trust();
  output.result({ ...asked, isTrusted: answer }, () =>
    answer ? `${folder} is trusted.` : 'Nothing was changed.',
  );
  return 0;
}

function describeProject({ servers, settings, files }: ProjectServers): string {
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [[title, ...lines.map((line) => `  ${line}`)].join('\n')];
  return [
    ...servers.map((server) => describeServer(server)),
    ...list(
      'Settings of the project that count once you trust it:',
      settings.map(({ key, value }) => `${key}: ${quote(JSON.stringify(value))}`),
    ),
    ...list(
      'Its files that these servers run or are given; a change of one asks again:',
      files.map(quote),
    ),
  ].join('\n\n');
}

/** What a server would run or reach, every word visible: nothing can hide behind control characters. */
export function describeServer(server: ShownServer): string {
  const { name, command, args = [], cwd, env = {}, url, headers = [], given } = server;
  const sets = Object.entries(env).map(([key, value]) => quote(`${key}=${value}`));
  const rows = [
    command === undefined ? undefined : `runs      ${[command, ...args].map(quote).join(' ')}`,
    cwd === undefined ? undefined : `in        ${quote(cwd)}`,
    url === undefined ? undefined : `reaches   ${quote(url)}`,
    sets.length === 0 ? undefined : `sets      ${sets.join(', ')}`,
    headers.length === 0 ? undefined : `sends     ${headers.map(quote).join(', ')}`,
    given.length === 0 ? undefined : `is given  ${given.map(quote).join(', ')}`,
    server.isBelieved ? 'is believed  what it says about its tools (trustAnnotations)' : undefined,
    server.isReplacing ? 'replaces  your own server of this name' : undefined,
  ];
  return [quote(name), ...rows.filter((row) => row !== undefined).map((row) => `  ${row}`)].join(
    '\n',
  );
}

/** As it is when it is plain, else as JSON with every unusual character escaped. */
export function quote(text: string): string {
  if (/^[\w@%+=:,./~${}-]+$/.test(text)) return text;
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
