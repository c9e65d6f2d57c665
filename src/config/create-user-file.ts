import { access } from 'node:fs/promises';
import { withFileLock } from './file-lock.ts';
import { makeFolderFor, realFile, writeFileAtomically } from './write-file-atomically.ts';

const firstText = `# Settings of Tutti for all your projects. \`tutti config\` shows every setting and where its value comes from;
# docs/configuration.md describes them. A setting that is not here has its default.

# logging:
#   level: warn

# MCP servers for \`tutti mcp\` and \`tutti serve\`, as other clients write them. \`tutti servers add\` adds here.
# Keep secrets out of this file: \${env:NAME} stands for an environment variable, \${file:/path} for a file.
#
# mcpServers:
#   github:
#     command: npx
#     args: [-y, "@modelcontextprotocol/server-github"]
#     env:
#       GITHUB_TOKEN: \${env:GITHUB_TOKEN}
`;

/** Writes a first file with explanations, unless there is one. Says whether it did. */
export async function createUserFile(file: string): Promise<boolean> {
  const path = await realFile(file, 'user');
  await makeFolderFor(path);
  return withFileLock(path, async () => {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (!isThere) await writeFileAtomically(path, firstText);
    return !isThere;
  });
}
