import { dirname, join } from 'node:path';
import {
  addModel,
  chooseServers,
  createUserFile,
  editServers,
  isTrustedAs,
  planImport,
  readTrust,
  referencesIn,
  revokeTrust,
  type DefinedServer,
} from '../config/index.ts';
import type { NewServer, ServerFiles, ShownServer } from '../contract/server-files/index.ts';
import { shortPrefix } from '../protocol/index.ts';
import { recordChange, recordEdit } from './audit.ts';
import { requestEverywhere } from './control.ts';
import { projectAgents, trustAll } from './project-agents.ts';
import { loadSettingsHere, surroundingsOf, type SettingsRequest } from './settings.ts';

/** A process that does not answer looks at the files a moment later by itself. */
const answerLimitMs = 3_000;

export async function openServerFiles(request: SettingsRequest): Promise<ServerFiles> {
  const settings = await loadSettingsHere(request);
  const around = surroundingsOf(request);
  const { userFile, project, servers } = settings;
  const { home } = settings.values;
  const trusted = await readTrust(home);
  const agents = await projectAgents(home, request.cwd);
  const files = { user: userFile, project: project?.file ?? join(request.cwd, 'tutti.yaml') };
  const taken = servers.flatMap(({ name, settings: { prefix } }) => [name, prefix ?? name]);
  return {
    userFile,
    entries: chooseServers(settings, trusted),
    agents: agents && {
      folder: agents.folder,
      files: agents.files.map(({ path }) => path),
      isTrusted: agents.isTrusted,
    },
    project:
      project === undefined
        ? undefined
        : {
            file: project.file,
            isTrusted: isTrustedAs(project, trusted),
            servers: showProject(servers),
            settings: project.settings,
            files: project.files,
          },
    edit: async (target, edits) => {
      for (const edit of edits) await recordEdit(settings.values, target, edit);
      await editServers({ path: files[target], kind: target, userPath: userFile }, edits);
      await requestEverywhere(home, { checkFiles: true }, answerLimitMs);
      return files[target];
    },
    trust: async () => {
      await trustAll(settings.values, [
        ...(project ? [project] : []),
        ...(agents ? [{ file: agents.folder, digest: agents.digest }] : []),
      ]);
    },
    revoke: async () => {
      const hadProject = await revokeTrust(home, files.project);
      const hadAgents = await revokeTrust(home, join(request.cwd, '.tutti', 'agents'));
      const wasTrusted = hadProject || hadAgents;
      await recordChange(settings.values, `revoke trust ${files.project}`);
      return wasTrusted;
    },
    trusted: () => readTrust(home),
    planImport: async (from) => {
      const plan = await planImport({ ...from, existing: userEntries(servers) }, around);
      return { ...plan, added: withPrefixNotes(plan.added, taken) };
    },
    proposePrefix: (name) => shortPrefix(name, taken),
    createUserFile: () => createUserFile(userFile),
    connectModel: (name, entry) =>
      addModel({ path: userFile, kind: 'user', userPath: userFile }, name, entry),
  };
}

/** Tools of servers with long names get long names themselves, of which clients take 64 characters. */
function withPrefixNotes(added: readonly NewServer[], taken: readonly string[]): NewServer[] {
  const used = [...taken];
  return added.map((server) => {
    const { name, entry, notes } = server;
    const prefix = entry['prefix'] === undefined ? shortPrefix(name, used) : undefined;
    if (prefix === undefined) return server;
    used.push(prefix);
    const note = `Its tools will be called "${name}__TOOL"; "prefix: ${prefix}" in its entry makes that "${prefix}__TOOL".`;
    return { ...server, notes: [...notes, note] };
  });
}

function showProject(servers: readonly DefinedServer[]): ShownServer[] {
  const mine = new Set(
    servers.filter(({ source }) => source.kind !== 'project').map(({ name }) => name),
  );
  return servers
    .filter(({ source }) => source.kind === 'project')
    .map(({ name, settings, source }) => {
      const { command, args, cwd, env, url, headers, trustAnnotations } = settings;
      const secrets = [...Object.values(env), ...Object.values(headers)];
      const texts = [
        command ?? '',
        ...args,
        cwd ?? '',
        url ?? '',
        ...secrets.map((value) => value.reveal()),
      ];
      return {
        name,
        ...(command !== undefined && {
          command,
          args,
          cwd: cwd ?? ('file' in source ? dirname(source.file) : '.'),
          env: Object.fromEntries(
            // The project's own text, and any of it may decide what runs: shown whatever it is called.
            Object.entries(env).map(([key, value]) => [key, value.reveal()]),
          ),
        }),
        ...(url !== undefined && { url, headers: Object.keys(headers) }),
        given: [...new Set(texts.flatMap(referencesIn))],
        isReplacing: mine.has(name),
        isBelieved: trustAnnotations,
      };
    });
}

/** The user's entries as far as they tell whether a server is there already. */
function userEntries(servers: readonly DefinedServer[]): Record<string, unknown> {
  const plain = (map: DefinedServer['settings']['env']): Record<string, string> =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value.reveal()]));
  return Object.fromEntries(
    servers
      .filter(({ source }) => source.kind === 'user')
      .map(({ name, settings: { command, args, env, url, headers } }) => [
        name,
        { command, args, url, env: plain(env), headers: plain(headers) },
      ]),
  );
}
