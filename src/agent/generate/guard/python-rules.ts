/** Modules through which Python reaches the interpreter, the runner or other processes. */
export const deniedModules: ReadonlySet<string> = new Set(
  (
    'gc ctypes _ctypes cffi inspect importlib imp builtins atexit signal faulthandler trace pdb bdb code codeop runpy pkgutil ' +
    'zipimport marshal dis multiprocessing subprocess sysconfig site sitecustomize linecache traceback tracemalloc _thread ' +
    'posix nt _posixsubprocess pty resource mmap symtable opcode cProfile profile _pytest pluggy coverage ' +
    'pydoc rlcompleter'
  ).split(' '),
);

/** Code does not know that it is tested. */
export const testModules: ReadonlySet<string> = new Set(
  'pytest unittest doctest nose hypothesis test'.split(' '),
);

/** All that is harmless of `sys`. */
export const allowedOfSys: ReadonlySet<string> = new Set(
  (
    'argv exit stdout stderr stdin maxsize maxunicode version version_info platform byteorder float_info int_info hash_info ' +
    'getsizeof setrecursionlimit getrecursionlimit intern implementation path_importer_cache'
  ).split(' '),
);

export const deniedOfOs: ReadonlySet<string> = new Set(
  (
    '_exit abort kill killpg fork forkpty system popen execl execle execlp execlpe execv execve execvp execvpe posix_spawn ' +
    'posix_spawnp spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe dup dup2 close closerange write truncate ' +
    'ftruncate setsid register_at_fork putenv unsetenv sys getppid'
  ).split(' '),
);

export const deniedNames: ReadonlySet<string> = new Set(
  (
    'eval exec compile globals vars locals breakpoint exit quit _exit __import__ __builtins__ __loader__ __spec__ __file__ ' +
    '__debug__'
  ).split(' '),
);

export const deniedAttributes: ReadonlySet<string> = new Set(
  (
    '__globals__ __builtins__ __subclasses__ __code__ __closure__ __mro__ __bases__ __base__ __loader__ __spec__ ' +
    '__traceback__ tb_frame tb_next f_back f_globals f_locals f_builtins gi_frame cr_frame ag_frame __reduce__ __reduce_ex__ ' +
    '__getattribute__ __dict__ __import__ _exit __self__ __func__ __wrapped__ __defaults__ __kwdefaults__ __file__ ' +
    'sys _sys _os builtins importlib'
  ).split(' '),
);

export const deniedStrings =
  /PYTEST_|_pytest|\.tests-|report\.jsonl|\/proc\/|__builtins__|__import__|\b_exit\b|\bbuiltins\b|sys\.modules|__globals__/;
export const deniedStringsOfCode = /\bpytest\b|\bunittest\b|conftest/i;

/** Modules that others have in them: `pathlib.sys` is `sys`. */
export const innerModules: ReadonlySet<string> = new Set(
  'sys os _sys _os builtins gc inspect importlib ctypes subprocess signal'.split(' '),
);
