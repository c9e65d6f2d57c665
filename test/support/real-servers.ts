import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const bin = new URL('../servers/node_modules/.bin/', import.meta.url).pathname;

/** True when the servers of others are there; `make test` installs them. */
export const haveRealServers = existsSync(join(bin, 'mcp-server-everything'));

/** An entry of `mcpServers` per server of others that the tests start, working below `folder`. */
export function realServerEntries(folder: string): Readonly<Record<string, object>> {
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'hello.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(files, 'dot.png'), Buffer.from(pixel, 'base64'));
  const entry = (name: string, args: readonly string[] = [], env = {}): object => ({
    command: join(bin, name),
    args,
    env,
  });
  return {
    everything: entry('mcp-server-everything'),
    filesystem: entry('mcp-server-filesystem', [files]),
    memory: entry('mcp-server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
    thinking: entry('mcp-server-sequential-thinking'),
    commands: entry('mcp-server-commands'),
    sqlite: entry('mcp-sqlite-server', [join(folder, 'test.db')]),
    context7: entry('context7-mcp'),
  };
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A call and what its answer must hold. */
export interface KnownCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly holds: string;
}

/**
 * One call of every tool that needs no internet, in an order in which each finds what it needs. The
 * tools are those of the versions pinned in test/servers.
 */
export function knownCalls(folder: string): readonly KnownCall[] {
  const files = join(folder, 'files');
  const path = join(files, 'hello.txt');
  const written = join(files, 'written.txt');
  const call = (tool: string, args: KnownCall['args'], holds: string): KnownCall => ({
    tool,
    args,
    holds,
  });
  const relation = { from: 'Ada', to: 'Engine', relationType: 'programs' };
  return [
    call('everything__echo', { message: 'grüße' }, 'grüße'),
    call('everything__get-annotated-message', { messageType: 'success' }, 'success'),
    call('everything__get-env', {}, 'PATH'),
    call('everything__get-resource-links', { count: 2 }, 'resource_link'),
    call('everything__get-resource-reference', { resourceType: 'Text', resourceId: 1 }, 'resource'),
    call('everything__get-roots-list', {}, 'root'),
    call('everything__get-structured-content', { location: 'Chicago' }, 'temperature'),
    call('everything__get-sum', { a: 2, b: 40 }, '42'),
    call('everything__get-tiny-image', {}, 'image/png'),
    call(
      'everything__gzip-file-as-resource',
      { name: 'a.gz', data: 'data:text/plain,abc', outputType: 'resource' },
      'gzip',
    ),
    call('everything__toggle-simulated-logging', {}, 'logging'),
    call('everything__toggle-subscriber-updates', {}, 'pdates'),
    call('everything__trigger-elicitation-request', {}, 'Ada'),
    call('everything__trigger-long-running-operation', { duration: 1, steps: 5 }, 'completed'),
    call('everything__trigger-sampling-request', { prompt: 'hi', maxTokens: 5 }, 'sampled words'),
    call('filesystem__create_directory', { path: join(files, 'sub') }, 'created'),
    call('filesystem__directory_tree', { path: files }, 'hello.txt'),
    call('filesystem__write_file', { path: written, content: 'abc' }, 'wrote'),
    call(
      'filesystem__edit_file',
      { path: written, edits: [{ oldText: 'abc', newText: 'abcd' }] },
      '+abcd',
    ),
    call('filesystem__get_file_info', { path }, 'size'),
    call('filesystem__list_allowed_directories', {}, files),
    call('filesystem__list_directory', { path: files }, 'hello.txt'),
    call('filesystem__list_directory_with_sizes', { path: files }, 'hello.txt'),
    call(
      'filesystem__move_file',
      { source: written, destination: join(files, 'moved.txt') },
      'moved',
    ),
    call('filesystem__read_file', { path }, 'two'),
    call('filesystem__read_media_file', { path: join(files, 'dot.png') }, 'image/png'),
    call('filesystem__read_multiple_files', { paths: [path] }, 'three'),
    call('filesystem__read_text_file', { path, head: 1 }, 'one'),
    call('filesystem__search_files', { path: files, pattern: '**/*.txt' }, 'hello.txt'),
    call(
      'memory__create_entities',
      { entities: [{ name: 'Ada', entityType: 'person', observations: ['writes'] }] },
      'Ada',
    ),
    call('memory__create_relations', { relations: [relation] }, 'programs'),
    call(
      'memory__add_observations',
      { observations: [{ entityName: 'Ada', contents: ['computes'] }] },
      'computes',
    ),
    call('memory__read_graph', {}, 'Ada'),
    call('memory__search_nodes', { query: 'Ada' }, 'Ada'),
    call('memory__open_nodes', { names: ['Ada'] }, 'Ada'),
    call(
      'memory__delete_observations',
      { deletions: [{ entityName: 'Ada', observations: ['writes'] }] },
      'deleted',
    ),
    call('memory__delete_relations', { relations: [relation] }, 'deleted'),
    call('memory__delete_entities', { entityNames: ['Ada'] }, 'deleted'),
    call(
      'thinking__sequentialthinking',
      { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      'thoughtNumber',
    ),
    call('commands__run_command', { command: 'echo from-the-shell' }, 'from-the-shell'),
    call('sqlite__db_info', {}, 'test.db'),
    call('sqlite__query', { sql: 'create table birds (name text)' }, ''),
    call('sqlite__create_record', { table: 'birds', data: { name: 'wren' } }, 'created'),
    call('sqlite__read_records', { table: 'birds' }, 'wren'),
    call(
      'sqlite__update_records',
      { table: 'birds', data: { name: 'robin' }, conditions: { name: 'wren' } },
      'pdated',
    ),
    call('sqlite__list_tables', {}, 'birds'),
    call('sqlite__get_table_schema', { tableName: 'birds' }, 'name'),
    call('sqlite__delete_records', { table: 'birds', conditions: { name: 'robin' } }, 'eleted'),
    call('sqlite__query', { sql: 'drop table birds' }, ''),
  ];
}
