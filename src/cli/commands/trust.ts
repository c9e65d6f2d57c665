import type { ServerFiles } from '../../contract/server-files/index.ts';
import { askYes } from '../ask-yes.ts';
import { NeedsAnswerError, UsageError } from '../errors.ts';
import { openFiles, type Invocation } from '../invocation.ts';
import { formatColumns } from '../output.ts';
import { describeServer } from '../describe-server.ts';

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
  if (project === undefined || project.servers.length === 0) {
    const file = project?.file ?? null;
    output.result({ file, isTrusted: false, servers: [] }, () =>
      file === null
        ? 'There is no tutti.yaml here, so there is nothing to trust.'
        : `${file} names no servers, so there is nothing to trust.`,
    );
    return 0;
  }
  const { file, servers } = project;
  const shown = servers.map((server) => describeServer(server)).join('\n\n');
  if (project.isTrusted) {
    output.result({ file, isTrusted: true, servers }, () => `${shown}\n\n${file} is trusted.`);
    return 0;
  }
  // What is agreed to is shown before it is agreed to, also where the answer is on the command line.
  output.note(`${file} wants to run on your machine, with your rights:\n\n${shown}\n`);
  if (options['yes'] !== true) {
    const answer = await askYes(io, 'Do you trust it?');
    if (answer === undefined) throw new NeedsAnswerError(`Trust in ${file}`, '--yes');
    if (!answer) {
      output.result({ file, isTrusted: false, servers }, () => 'Nothing was changed.');
      return 0;
    }
  }
  await files.trust();
  output.result({ file, isTrusted: true, servers }, () => `${file} is trusted.`);
  return 0;
}
