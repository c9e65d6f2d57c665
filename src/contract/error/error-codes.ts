/** What a user reads about an error code in `docs/errors.md`. */
export interface ErrorCodeEntry {
  /** What happened, one sentence. */
  readonly meaning: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /** The terminal's exit code when a command ends with it: 1 failed, 2 usage or configuration, 3 refused. */
  readonly exitCode: 1 | 2 | 3;
  /** The HTTP status a face answers with when the whole request failed with it. */
  readonly httpStatus: number;
}

/** Every error code there is. `test/error-codes.test.ts` proves that the sources use just these. */
export const errorCodes = {
  'internal.bug': {
    meaning: 'Something happened that Tutti did not foresee.',
    remedy: 'Look at the log for the stack, and report it with the trace id.',
    exitCode: 1,
    httpStatus: 500,
  },
  'kernel.time_limit': {
    meaning: 'The work did not finish in the time it was given.',
    remedy: 'Raise the limit named in the message, or give it less to do.',
    exitCode: 1,
    httpStatus: 504,
  },
  'kernel.too_busy': {
    meaning: 'As many calls as allowed are running, and the queue is full.',
    remedy: 'Try again later, or raise `performance.max_concurrent_requests`.',
    exitCode: 1,
    httpStatus: 503,
  },
  'toolbox.invalid_arguments': {
    meaning: 'The arguments of a tool call do not fit its input schema.',
    remedy:
      'Correct the arguments named in the message; `tutti tools NAME --json` shows the schema.',
    exitCode: 2,
    httpStatus: 400,
  },
  'toolbox.invalid_output': {
    meaning: 'A tool of ours returned what its own output schema does not allow.',
    remedy: 'This is a bug: report it with the arguments of the call.',
    exitCode: 1,
    httpStatus: 500,
  },
  'toolbox.not_found': {
    meaning: 'The server has no tool, resource or prompt of that name.',
    remedy: 'Use one of the names the message lists.',
    exitCode: 2,
    httpStatus: 404,
  },
  'toolbox.worker_died': {
    meaning:
      'The thread a tool ran in ended early: out of memory, an engine crashed, or the server is stopping.',
    remedy: 'Give the tool less at once: fewer or smaller files.',
    exitCode: 1,
    httpStatus: 500,
  },
  'fleet.not_found': {
    meaning: 'No server has a tool, resource or prompt of that name.',
    remedy: 'Look it up with `tutti tools`, `tutti resources` or `tutti prompts`.',
    exitCode: 2,
    httpStatus: 404,
  },
  'fleet.unknown_server': {
    meaning: 'There is no server of that name.',
    remedy: 'Use one of the servers the message lists.',
    exitCode: 2,
    httpStatus: 404,
  },
  'code.no_source': {
    meaning: 'A code tool got neither or both of `code` and `path`.',
    remedy: 'Give exactly one of them.',
    exitCode: 2,
    httpStatus: 400,
  },
  'code.outside_roots': {
    meaning: 'A path leaves the folders the tools may read.',
    remedy: 'Work inside the roots, or add the folder to the setting `roots`.',
    exitCode: 3,
    httpStatus: 403,
  },
  'code.no_files': {
    meaning: 'A path, folder or glob holds no file of a known language.',
    remedy: 'Check the path; it is relative to the allowed roots.',
    exitCode: 1,
    httpStatus: 404,
  },
  'code.too_much_source': {
    meaning: 'A file is larger, or a folder holds more, than one call reads.',
    remedy: 'Narrow the path with a glob, or split the work.',
    exitCode: 1,
    httpStatus: 413,
  },
  'code.not_text': {
    meaning: 'A file is not UTF-8 text.',
    remedy: 'Leave it out, or convert it to UTF-8.',
    exitCode: 1,
    httpStatus: 422,
  },
  'code.language_unknown': {
    meaning: 'The language of a text was neither given nor recognised.',
    remedy: 'Give `language`.',
    exitCode: 2,
    httpStatus: 400,
  },
  'code.syntax_error': {
    meaning: 'The text is not valid in its language; the message names line and column.',
    remedy: 'Correct the place it names, or give the right `language`.',
    exitCode: 1,
    httpStatus: 422,
  },
  'code.lockfile_malformed': {
    meaning: 'A lock file could not be read; the message names the file and the line.',
    remedy: 'Create the lock file anew with its package manager, or correct the line.',
    exitCode: 1,
    httpStatus: 422,
  },
  'code.lockfile_unknown': {
    meaning: 'The file is of no lock file format that is read.',
    remedy: 'Give one of the lock files the message lists, or name the format in `lockfile`.',
    exitCode: 2,
    httpStatus: 422,
  },
  'code.too_many_packages': {
    meaning:
      'The lock files hold more packages, or there are more lock files, than one call looks at.',
    remedy: 'Name one folder or lock file at a time.',
    exitCode: 1,
    httpStatus: 413,
  },
  'code.osv_unreachable': {
    meaning: 'The OSV database gave no usable answer, so nothing was checked.',
    remedy:
      'Check the network and `tools.dependencies.osv_url`, or use an offline folder with `tools.dependencies.osv_dir`.',
    exitCode: 1,
    httpStatus: 502,
  },
  'code.osv_directory_unusable': {
    meaning:
      'The offline OSV folder is missing or has no record about an ecosystem that was asked for.',
    remedy:
      'Unpack the OSV dump of that ecosystem into the folder named in `tools.dependencies.osv_dir`.',
    exitCode: 1,
    httpStatus: 422,
  },
  'config.invalid': {
    meaning: 'A settings file, variable or flag says something the settings schema does not allow.',
    remedy:
      'Correct the place named in the message; `docs/configuration.md` lists what is allowed.',
    exitCode: 2,
    httpStatus: 500,
  },
  'cli.usage': {
    meaning: 'The command line was not understood.',
    remedy: 'Look at `tutti help COMMAND`, which shows examples.',
    exitCode: 2,
    httpStatus: 400,
  },
  'cli.unknown_name': {
    meaning: 'There is no tool, prompt or trace of the name given to the command.',
    remedy:
      'Take the name the message proposes, or list what there is with `tutti tools`, `prompts` or `trace`.',
    exitCode: 2,
    httpStatus: 404,
  },
  'cli.tool_failed': {
    meaning: 'A tool reported a failure without saying which.',
    remedy: 'Read the message: it is what the tool said.',
    exitCode: 1,
    httpStatus: 500,
  },
  'gateway.open_bind_refused': {
    meaning:
      'Listening on an address others can reach was refused, because no token is configured.',
    remedy: 'Configure a token, or bind to 127.0.0.1.',
    exitCode: 2,
    httpStatus: 500,
  },
  'gateway.listen_failed': {
    meaning: 'The address and port could not be listened on.',
    remedy: 'Choose another port (0 takes any free one), or end the program that uses it.',
    exitCode: 1,
    httpStatus: 500,
  },
  'gateway.too_many_requests': {
    meaning: 'One client, or all that use no session, have as many requests running as they may.',
    remedy: 'Wait until some of them are answered, or cancel them.',
    exitCode: 1,
    httpStatus: 429,
  },
  'gateway.too_many_subscriptions': {
    meaning: 'One client subscribed to as much as it may.',
    remedy: 'End subscriptions that are not needed any more.',
    exitCode: 1,
    httpStatus: 429,
  },
  'gateway.too_many_sessions': {
    meaning: 'Every place for a session is taken by one in use.',
    remedy: 'Try again later, or let clients end sessions they do not need.',
    exitCode: 1,
    httpStatus: 503,
  },
  'gateway.connection_closed': {
    meaning: 'A request was stopped because its connection closed.',
    remedy: 'Send it again on a new connection.',
    exitCode: 1,
    httpStatus: 503,
  },
  'gateway.request_cancelled': {
    meaning: 'A request was stopped because its client cancelled it.',
    remedy: 'Nothing; send it again if the answer is still wanted.',
    exitCode: 1,
    httpStatus: 499,
  },
  'observe.ambiguous_trace_id': {
    meaning: 'Several traces begin with the digits that were given.',
    remedy: 'Give more digits of the trace id.',
    exitCode: 2,
    httpStatus: 400,
  },
  'observe.invalid_trace_id': {
    meaning: 'What was given is neither a trace id nor the beginning of one.',
    remedy: 'Give its 32 hex digits, or at least the first 6.',
    exitCode: 2,
    httpStatus: 400,
  },
  'observe.trace_not_found': {
    meaning: 'No trace with that id is kept.',
    remedy: 'Check the id and the data directory; old traces are removed after 14 days.',
    exitCode: 1,
    httpStatus: 404,
  },
  'store.backup_failed': {
    meaning: 'The database could not be copied; no file was left at the target.',
    remedy: 'Check that the target directory exists, is writable and has room.',
    exitCode: 1,
    httpStatus: 500,
  },
  'store.backup_refused': {
    meaning: 'The backup would have replaced a file, or the database itself.',
    remedy: 'Name another file, or say `--force` to replace a file.',
    exitCode: 3,
    httpStatus: 409,
  },
  'store.busy': {
    meaning: 'Another process kept the database locked for longer than a write waits.',
    remedy: 'Try again; if it lasts, look for a hanging Tutti process.',
    exitCode: 1,
    httpStatus: 503,
  },
  'store.corrupt': {
    meaning: 'The database file is damaged, or is no database.',
    remedy: 'Restore a backup as `docs/where-data-lives.md` describes.',
    exitCode: 1,
    httpStatus: 500,
  },
  'store.disk_full': {
    meaning: 'The disk is full, and the write was undone.',
    remedy: 'Free some space and try again.',
    exitCode: 1,
    httpStatus: 507,
  },
  'store.newer_database': {
    meaning: 'The database was written by a newer Tutti.',
    remedy: 'Update Tutti, or set `TUTTI_HOME` to another directory.',
    exitCode: 1,
    httpStatus: 500,
  },
  'store.older_database': {
    meaning: 'The database needs an upgrade but was opened for reading only.',
    remedy: 'Run a command that writes, for example `tutti backup FILE`.',
    exitCode: 1,
    httpStatus: 500,
  },
  'store.unavailable': {
    meaning: 'The data directory or the database file could not be opened, read or written.',
    remedy: 'Check that the directory exists, belongs to you and is writable.',
    exitCode: 1,
    httpStatus: 503,
  },
  'code.unfit_formatter': {
    meaning: 'The formatter named is not known, or does not format that language.',
    remedy: 'Give one of the names the message lists, or leave `formatter` out.',
    exitCode: 2,
    httpStatus: 400,
  },
  'code.format_failed': {
    meaning: 'The formatter could not do a text, or its result would not have meant the same.',
    remedy: 'Read the reason in the message; the text stays as it was.',
    exitCode: 1,
    httpStatus: 422,
  },
  'compose.unknown_server': {
    meaning: 'A server to serve was named that there is not.',
    remedy: 'Use one of the servers the message lists.',
    exitCode: 2,
    httpStatus: 400,
  },
  'standards.unknown_language': {
    meaning: 'There is no coding standard for the language.',
    remedy: 'Choose one the message lists, or add `<language>.md` to `.tutti/standards/`.',
    exitCode: 1,
    httpStatus: 404,
  },
  'standards.unknown_topic': {
    meaning: 'The coding standard has no such section.',
    remedy: 'Choose one of the sections the message lists.',
    exitCode: 1,
    httpStatus: 404,
  },
  'standards.invalid_prompt_arguments': {
    meaning: 'A prompt lacks an argument it needs, or was given one it does not take.',
    remedy: 'Give the arguments the message names.',
    exitCode: 2,
    httpStatus: 400,
  },
  'code.too_complex': {
    meaning: 'A text is nested too deeply, or too long, for the parser of its language.',
    remedy: 'Split the text or the expression into smaller ones.',
    exitCode: 1,
    httpStatus: 422,
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
