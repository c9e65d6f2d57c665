/** What a user reads about an error code in `docs/errors.md`. */
export interface ErrorCodeEntry {
  /** What happened, one sentence. */
  readonly meaning: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /** The terminal's exit code when a command ends with it: 1 failed, 2 usage or configuration, 3 refused, 4 needs an answer. */
  readonly exitCode: 1 | 2 | 3 | 4;
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
  'kernel.process_not_started': {
    meaning: 'A program, such as the command of a server, could not be started.',
    remedy: 'Do what the message says: it names the program and the reason.',
    exitCode: 1,
    httpStatus: 502,
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
  'fleet.upstream_error': {
    meaning: 'A server answered a request with an error.',
    remedy: "Read the server's own message; `details.rpc` holds its code and data.",
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.server_unavailable': {
    meaning: 'A server could not be reached, and the request did not run.',
    remedy:
      'Try again; `tutti servers` says how the server is doing and `tutti servers logs NAME` why.',
    exitCode: 1,
    httpStatus: 503,
  },
  'fleet.outcome_unknown': {
    meaning: 'The connection to a server was lost during a call that may have run or not.',
    remedy: 'Check what the call was to change before you make it again.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.negotiation_failed': {
    meaning: 'A server did not introduce itself in a protocol version Tutti speaks.',
    remedy: 'Check that the entry names an MCP server, and update the server.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.input_required': {
    meaning: 'A server needs an answer of the user, and nobody can be asked.',
    remedy: 'Call it from a client that supports what the message names.',
    exitCode: 1,
    httpStatus: 422,
  },
  'fleet.unknown_server': {
    meaning: 'There is no server of that name.',
    remedy: 'Use one of the servers the message lists.',
    exitCode: 2,
    httpStatus: 404,
  },
  'fleet.server_not_reading': {
    meaning: 'A server does not read its input, and too much waits for it already.',
    remedy: 'Try again later; if it lasts, restart the server.',
    exitCode: 1,
    httpStatus: 503,
  },
  'fleet.answer_too_large': {
    meaning: 'A server answered with a message larger than is taken, and it was skipped.',
    remedy: 'Ask the server for less at once.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.bad_answer': {
    meaning: 'A server answered with what the protocol does not allow.',
    remedy: 'Look at `tutti servers logs NAME`, and report it to who wrote the server.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.unreachable': {
    meaning: 'A server behind a url could not be connected to; the request was not sent.',
    remedy: 'Do what the message says about the reason: check server, url, network or certificate.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.exchange_broken': {
    meaning: 'A request reached a server and no answer came; whether it was done is unknown.',
    remedy: 'Look whether it was done, then ask again.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.session_expired': {
    meaning: 'A server has ended the session a request belonged to; the request was not done.',
    remedy: 'Ask again: a new session is begun by itself.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.http_status': {
    meaning: 'A server answered with an HTTP status that is a failure.',
    remedy: 'Check url, transport and headers of its entry, as the message says.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.redirect_refused': {
    meaning: 'A server redirects to another place, where credentials must not go unasked.',
    remedy: 'Put the place the message names into its entry, if it is the right one.',
    exitCode: 1,
    httpStatus: 502,
  },
  'fleet.invalid_endpoint': {
    meaning: 'The url or a header of a server, or the place it names for messages, cannot be used.',
    remedy: 'Correct its entry as the message says.',
    exitCode: 2,
    httpStatus: 502,
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
  'config.file_locked': {
    meaning: 'Another process kept a settings file locked for longer than an edit waits.',
    remedy: 'Try again; if it lasts, look for a hanging Tutti process.',
    exitCode: 1,
    httpStatus: 503,
  },
  'config.file_not_written': {
    meaning: 'A settings file could not be written; it is as it was.',
    remedy: 'Check that the file and its folder belong to you and are writable.',
    exitCode: 1,
    httpStatus: 500,
  },
  'config.foreign_file': {
    meaning: 'The configuration of another MCP client could not be read.',
    remedy: 'Check the file the message names; it must be a JSON object.',
    exitCode: 2,
    httpStatus: 422,
  },
  'config.server_name': {
    meaning: 'A server was to be added that is there already, or changed that is not there.',
    remedy: 'Choose another name; `tutti servers --no-start` lists what there is.',
    exitCode: 2,
    httpStatus: 409,
  },
  'config.unresolved_reference': {
    meaning: 'An entry of `mcpServers` refers to a variable or file that is not there.',
    remedy: 'Set the variable or create the file, then start the server again.',
    exitCode: 1,
    httpStatus: 500,
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
    meaning:
      'There is no tool, prompt, trace, server, client or action of the name given to the command.',
    remedy:
      'Take the name the message proposes, or list what there is with `tutti tools`, `prompts`, `trace` or `servers`.',
    exitCode: 2,
    httpStatus: 404,
  },
  'cli.needs_answer': {
    meaning: 'A question has to be answered, and there is no terminal to ask at.',
    remedy: 'Run it at a terminal, or give the answer with the flag the message names.',
    exitCode: 4,
    httpStatus: 409,
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
  'gateway.client_refused': {
    meaning:
      'A server asked the client for input, a completion or its roots, and the client refused or could not be asked.',
    remedy: 'Use a client that can be asked, and answer it; the message says why it failed.',
    exitCode: 1,
    httpStatus: 502,
  },
  'gateway.too_many_waiting_calls': {
    meaning: 'As many calls wait for the input of their clients as may.',
    remedy: 'Answer or abandon some of them, or try again later.',
    exitCode: 1,
    httpStatus: 503,
  },
  'gateway.input_expired': {
    meaning: 'A call was stopped because the input it asked its client for did not come in time.',
    remedy: 'Call again and answer sooner.',
    exitCode: 1,
    httpStatus: 504,
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
  'admin.unknown_tool': {
    meaning: '`call_tool` was given a name that no tool has.',
    remedy:
      'Take the name from `find_tools` or `list_tools`; the message names a similar one where there is one.',
    exitCode: 2,
    httpStatus: 404,
  },
  'admin.recursive_call': {
    meaning: '`call_tool` was told to call itself.',
    remedy: 'Name the tool that is to be called.',
    exitCode: 2,
    httpStatus: 400,
  },
  'admin.unknown_server': {
    meaning: 'There is no MCP server of that name.',
    remedy: 'Choose one of the servers the message lists.',
    exitCode: 2,
    httpStatus: 404,
  },
  'models.embedding_failed': {
    meaning: 'The embedding model could not be loaded, ended, or has too much to do.',
    remedy: 'Tools are found by words meanwhile; look at the reason in the log.',
    exitCode: 1,
    httpStatus: 503,
  },
  'sandbox.cluster_unknown': {
    meaning: 'How to reach the Kubernetes cluster for sandboxes could not be read.',
    remedy: 'Correct the kubeconfig named in the message, or name another in the settings.',
    exitCode: 2,
    httpStatus: 500,
  },
  'sandbox.cluster_failed': {
    meaning: 'The API server of the Kubernetes cluster refused a request, or could not be reached.',
    remedy: 'Do what its answer in the message says; "tutti doctor" tries the cluster again.',
    exitCode: 1,
    httpStatus: 502,
  },
  'sandbox.refused_by_policy': {
    meaning: 'No sandbox on this machine holds all that the policy asks for, so nothing was run.',
    remedy: 'Run one of the fixes in the message; `tutti doctor` shows what holds what.',
    exitCode: 3,
    httpStatus: 403,
  },
  'sandbox.unavailable': {
    meaning: 'No sandbox, or not the one the settings name, works on this machine.',
    remedy: 'Run one of the fixes in the message; `tutti doctor` shows every driver.',
    exitCode: 3,
    httpStatus: 503,
  },
  'sandbox.not_started': {
    meaning: 'A sandbox that works in principle could not be started for this run.',
    remedy: 'Do what the message says; `tutti doctor` shows what the driver lacks.',
    exitCode: 1,
    httpStatus: 503,
  },
  'sandbox.toolchain_missing': {
    meaning: 'The programs of that language are not installed where the sandbox looks.',
    remedy: 'Install what the message names.',
    exitCode: 1,
    httpStatus: 422,
  },
  'sandbox.invalid_run': {
    meaning: 'A file path, a variable, a mount or a limit of the run is not allowed.',
    remedy: 'Correct what the message names; limits above the ceiling are never cut silently.',
    exitCode: 2,
    httpStatus: 400,
  },
  'sandbox.too_busy': {
    meaning: 'As many sandboxes as allowed are running, and the queue is full.',
    remedy: 'Try again later.',
    exitCode: 1,
    httpStatus: 503,
  },
  'sandbox.docker_request_failed': {
    meaning: 'Docker or Podman could not be reached or did not do what it was asked.',
    remedy: 'Look at the reason in the message; `tutti doctor` shows what the driver lacks.',
    exitCode: 1,
    httpStatus: 503,
  },
  'sandbox.closed': {
    meaning: 'A program was to be run while Tutti was stopping.',
    remedy: 'Start Tutti again and repeat the call.',
    exitCode: 1,
    httpStatus: 503,
  },
  'compose.not_scanned': {
    meaning: 'The check before a run could not scan the code.',
    remedy: 'The code runs or not as `sandbox.check.major` says; the message has the reason.',
    exitCode: 1,
    httpStatus: 500,
  },
  'exec.refused_by_check': {
    meaning: 'The check before a run found what the settings `sandbox.check` refuse; nothing ran.',
    remedy: 'Change the code, or the setting for findings of that severity.',
    exitCode: 3,
    httpStatus: 403,
  },
  'exec.approval_needed': {
    meaning: 'Somebody must agree before this code runs, and the client cannot be asked.',
    remedy: 'Call it from a client that can be asked, or set `sandbox.check` to `warn`.',
    exitCode: 4,
    httpStatus: 403,
  },
  'exec.not_approved': {
    meaning: 'Who was asked whether this code may run did not agree; nothing ran.',
    remedy: 'Call it again and agree, or change the code.',
    exitCode: 3,
    httpStatus: 403,
  },
  'exec.project_too_large': {
    meaning: 'The folder whose tests are to run has more than goes into a sandbox.',
    remedy: 'Name the folder of one package of it.',
    exitCode: 1,
    httpStatus: 422,
  },
  'exec.no_test_framework': {
    meaning: 'No tests of a known framework were found.',
    remedy: 'Name test files as their framework expects, or give `framework`.',
    exitCode: 1,
    httpStatus: 422,
  },
  'exec.test_library_missing': {
    meaning:
      'What the tests are written with is installed neither in the project nor on this machine.',
    remedy: 'Install what the message names.',
    exitCode: 1,
    httpStatus: 422,
  },
  'exec.invalid_program': {
    meaning: 'What was given to run does not make a program.',
    remedy: 'Do what the message says: give `code` or `files`, and an `entry` that is among them.',
    exitCode: 2,
    httpStatus: 400,
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;
