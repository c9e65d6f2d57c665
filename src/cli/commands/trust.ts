import type { ProjectServers, ServerFiles } from '../../contract/server-files/index.ts';
import { askYes } from '../ask-yes.ts';
import { NeedsAnswerError, UsageError } from '../errors.ts';
import { openFiles, type Invocation } from '../invocation.ts';
import { formatColumns } from '../output.ts';
import { describeServer, quote } from '../describe-server.ts';

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
  const { project } = files;
  if (project === undefined || project.servers.length + project.settings.length === 0) {
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
