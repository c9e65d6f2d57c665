/**
 * What each hostile server does wrong, and what the fleet must make of it. `works` means that its
 * tool answers in spite of the misbehaviour; otherwise a call ends in a clear error. `named` is part
 * of what its status must say (last error or problems).
 */
export interface HostileKind {
  readonly kind: string;
  readonly works: boolean;
  readonly named?: RegExp;
}

export const hostileKinds: readonly HostileKind[] = [
  { kind: 'garbage-lines', works: true, named: /invalid JSON-RPC message/ },
  { kind: 'banner-on-stdout', works: true, named: /invalid JSON-RPC message/ },
  { kind: 'half-message-then-exit', works: false, named: /./ },
  { kind: 'line-of-100-mb', works: true, named: /larger|long/ },
  { kind: 'answers-twice', works: true, named: /never sent|twice|answered/ },
  { kind: 'unknown-ids', works: true, named: /never sent/ },
  { kind: 'answers-before-asked', works: true, named: /never sent/ },
  { kind: 'silent-from-the-start', works: false, named: /./ },
  { kind: 'never-answers-calls', works: false },
  { kind: 'floods-notifications', works: true },
  { kind: 'floods-list-changed', works: true },
  { kind: 'floods-progress-nobody-asked-for', works: true, named: /progress/ },
  { kind: 'floods-requests', works: true },
  { kind: 'floods-stderr', works: true },
  { kind: 'claims-what-it-has-not', works: true, named: /./ },
  { kind: 'closes-stdin', works: false, named: /./ },
  { kind: 'closes-stdout', works: false, named: /./ },
  { kind: 'exits-at-once', works: false, named: /exit|code 3/ },
  { kind: 'exits-during-calls', works: false, named: /./ },
  { kind: 'kills-itself-during-calls', works: false, named: /./ },
  { kind: 'invalid-utf-8', works: true, named: /invalid JSON-RPC message/ },
  { kind: 'nests-100000-deep', works: true, named: /./ },
  { kind: 'result-and-error', works: false },
  { kind: 'result-is-a-number', works: false },
  { kind: 'error-is-a-string', works: false },
  { kind: 'pages-for-ever', works: true, named: /./ },
  { kind: 'malformed-tools', works: true, named: /tool/ },
  { kind: 'duplicate-tools', works: true, named: /./ },
  { kind: 'schema-of-10-mb', works: true },
  { kind: 'names-from-hell', works: true },
  { kind: 'another-json-rpc-version', works: false, named: /./ },
  { kind: 'ids-as-strings', works: false, named: /./ },
  { kind: 'answers-in-batches', works: true },
  { kind: 'one-byte-at-a-time', works: true },
  { kind: 'version-of-1999', works: false, named: /1999/ },
  { kind: 'refuses-initialize', works: false, named: /./ },
  { kind: 'ignores-sigterm', works: true },
  { kind: 'leaves-grandchildren', works: true },
  { kind: 'allocates-in-the-answer', works: true },
];
