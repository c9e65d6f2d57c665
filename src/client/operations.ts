// Made from docs/openapi.json by "npm run docs".

type Plan = { readonly version?: 1; readonly name?: string; readonly goal?: string; readonly input?: { readonly [key: string]: { readonly [key: string]: unknown } }; readonly steps: readonly { readonly id: string; readonly title?: string; readonly tool?: string; readonly args?: { readonly [key: string]: unknown }; readonly sleep?: (number | string); readonly wait?: (string | { readonly signal: string; readonly timeoutMs?: number }); readonly plan?: (string | Plan); readonly input?: { readonly [key: string]: unknown }; readonly when?: (string | boolean); readonly forEach?: (string | readonly unknown[]); readonly concurrency?: number; readonly retry?: (number | { readonly attempts?: number; readonly backoffMs?: number; readonly factor?: number; readonly maxBackoffMs?: number; readonly jitter?: number; readonly on?: readonly string[] }); readonly timeoutMs?: number; readonly approval?: (boolean | { readonly message?: string; readonly expiresMs?: number }); readonly onFailure?: "stop" | "skip" | "repair"; readonly cache?: (boolean | { readonly ttlMs: number }); readonly effect?: "read" | "idempotent" | "once"; readonly reconcile?: { readonly tool: string; readonly args?: { readonly [key: string]: unknown }; readonly happened: string; readonly output?: unknown; readonly finalAfterMs?: number } }[]; readonly output?: unknown; readonly timeoutMs?: number };

export interface Operations {
  /** Submit a request: a message to the agent, or a plan to run */
  postTasks: { input: { body?: { readonly message?: string; readonly attachments?: readonly { readonly name: string; readonly content: string; readonly language?: string }[]; readonly context?: string; readonly planOnly?: boolean; readonly acceptPreview?: boolean; readonly session?: string; readonly plan?: ({ readonly [key: string]: unknown } | string); readonly input?: { readonly [key: string]: unknown } } }; output: { readonly kind: "plan" | "question" | "refusal" | "answer" | "run"; readonly sessionId?: string; readonly confidence?: number; readonly model?: (string | null); readonly answer?: string; readonly questions?: readonly string[]; readonly reason?: string; readonly preview?: string; readonly plan?: Plan; readonly candidates?: readonly { readonly plan: Plan; readonly why: string; readonly confidence: number }[]; readonly notUnderstood?: readonly string[]; readonly madeBy?: "model" | "planner"; readonly runId?: string; readonly runStatus?: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Continue a conversation */
  postSessionsByIdMessages: { input: { path: { id: string }; body: { readonly message: string; readonly attachments?: readonly { readonly name: string; readonly content: string; readonly language?: string }[]; readonly context?: string; readonly planOnly?: boolean; readonly acceptPreview?: boolean } }; output: { readonly kind: "plan" | "question" | "refusal" | "answer" | "run"; readonly sessionId?: string; readonly confidence?: number; readonly model?: (string | null); readonly answer?: string; readonly questions?: readonly string[]; readonly reason?: string; readonly preview?: string; readonly plan?: Plan; readonly candidates?: readonly { readonly plan: Plan; readonly why: string; readonly confidence: number }[]; readonly notUnderstood?: readonly string[]; readonly madeBy?: "model" | "planner"; readonly runId?: string; readonly runStatus?: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Submit a message to the agent and follow what it does as events */
  postTurns: { input: { body: { readonly message: string; readonly attachments?: readonly { readonly name: string; readonly content: string; readonly language?: string }[]; readonly context?: string; readonly planOnly?: boolean; readonly acceptPreview?: boolean; readonly session?: string } }; output: { readonly turnId: string; readonly events: string } };
  /** Follow a turn of the agent as server-sent events */
  getTurnsByIdEvents: { input: { path: { id: string } }; output: unknown };
  /** Cancel a turn of the agent and the run it started */
  postTurnsByIdCancel: { input: { path: { id: string } }; output: { readonly turnId: string } };
  /** Check a plan against the tools there are; runs nothing */
  postPlansCheck: { input: { body: { readonly plan: ({ readonly [key: string]: unknown } | string); readonly optimize?: boolean } }; output: { readonly ok: boolean; readonly errors: readonly { readonly step: (string | null); readonly path: string; readonly line: (number | null); readonly code: string; readonly message: string; readonly severity: "error" | "warning" }[]; readonly warnings: readonly { readonly step: (string | null); readonly path: string; readonly line: (number | null); readonly code: string; readonly message: string; readonly severity: "error" | "warning" }[]; readonly edges: readonly (readonly string[])[]; readonly optimizations: readonly string[]; readonly plan?: Plan } };
  /** Draw a plan as text, Mermaid or SVG */
  postPlansDraw: { input: { body: { readonly plan: ({ readonly [key: string]: unknown } | string); readonly format?: "text" | "mermaid" | "svg" } }; output: { readonly drawing: string } };
  /** List runs, newest first */
  getRuns: { input: { query?: { limit?: number; cursor?: string; status?: readonly ("queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled")[] } }; output: { readonly items: readonly { readonly runId: string; readonly name: (string | null); readonly goal: (string | null); readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled"; readonly engine: "embedded" | "restate"; readonly createdAt: string; readonly startedAt: (string | null); readonly endedAt: (string | null); readonly forkedFrom: (string | null); readonly isInterrupted?: true }[]; readonly nextCursor: (string | null) } };
  /** Start a run of a plan */
  postRuns: { input: { body: { readonly plan: ({ readonly [key: string]: unknown } | string); readonly input?: { readonly [key: string]: unknown }; readonly context?: string; readonly optimize?: boolean } }; output: { readonly runId: string; readonly events: string } };
  /** Show a run */
  getRunsById: { input: { path: { id: string } }; output: { readonly runId: string; readonly name: (string | null); readonly goal: (string | null); readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled"; readonly engine: "embedded" | "restate"; readonly createdAt: string; readonly startedAt: (string | null); readonly endedAt: (string | null); readonly forkedFrom: (string | null); readonly isInterrupted?: true; readonly output?: unknown; readonly error?: { readonly code: string; readonly message: string; readonly details: { readonly [key: string]: unknown } }; readonly waitingFor: readonly ({ readonly kind: "approval"; readonly step: string; readonly approvalId: string; readonly message: string; readonly preview?: string; readonly tool: (string | null); readonly arguments: unknown; readonly isPartial?: true; readonly expiresAt: string } | { readonly kind: "signal"; readonly step: string; readonly signal: string } | { readonly kind: "resolve"; readonly step: string; readonly tool: string; readonly message: string } | { readonly kind: "repair"; readonly step: string; readonly error: { readonly code: string; readonly message: string; readonly details: { readonly [key: string]: unknown } } })[]; readonly input: { readonly [key: string]: unknown }; readonly traceId: (string | null); readonly totalSteps: number; readonly doneSteps: number } };
  /** List the steps of a run with their results */
  getRunsByIdSteps: { input: { path: { id: string }; query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly status: "pending" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled" | "unknown"; readonly output?: unknown; readonly stored?: { readonly id: string; readonly bytes: number; readonly mediaType: string; readonly preview: string }; readonly text?: string; readonly error?: { readonly code: string; readonly message: string; readonly details: { readonly [key: string]: unknown } }; readonly startedAt: (string | null); readonly endedAt: (string | null); readonly attempts: number; readonly tool?: string; readonly items?: { readonly total: number; readonly done: number }; readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }; readonly isCached?: boolean; readonly path: string }[]; readonly nextCursor: (string | null) } };
  /** List what happened in a run, in order */
  getRunsByIdJournal: { input: { path: { id: string }; query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly number: number; readonly kind: "began" | "settled" | "due" | "forgotten"; readonly steps: readonly string[]; readonly activity: ("call" | "backoff" | "condition" | "approval" | "resolution" | "repair" | "pause" | null); readonly outcome: (string | null); readonly code?: string; readonly at: (string | null) }[]; readonly nextCursor: (string | null) } };
  /** Follow a run as server-sent events */
  getRunsByIdEvents: { input: { path: { id: string } }; output: unknown };
  /** Approve a call that a run waits to make */
  postRunsByIdApprove: { input: { path: { id: string }; body: { readonly approvalId: string; readonly reason?: string } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Deny a call that a run waits to make */
  postRunsByIdDeny: { input: { path: { id: string }; body?: { readonly approvalId?: string; readonly step?: string; readonly reason?: string } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Say whether an effect with an unknown outcome happened */
  postRunsByIdResolve: { input: { path: { id: string }; body: { readonly step: string; readonly happened: boolean; readonly output?: unknown } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Give a failed step other arguments, or give it up */
  postRunsByIdRepair: { input: { path: { id: string }; body: { readonly step: string; readonly args: ({ readonly [key: string]: unknown } | null) } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Cancel a run */
  postRunsByIdCancel: { input: { path: { id: string }; body?: { readonly reason?: string } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Pause a run */
  postRunsByIdPause: { input: { path: { id: string } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Resume a paused run */
  postRunsByIdResume: { input: { path: { id: string } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Send a signal to a run */
  postRunsByIdSignalsByName: { input: { path: { id: string; name: string }; body?: { readonly payload?: unknown } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Try again what failed in a run */
  postRunsByIdRetry: { input: { path: { id: string }; body?: { readonly fromStep?: string } }; output: { readonly runId: string; readonly status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "cancelled" } };
  /** Start a new run that takes over what the changes do not reach */
  postRunsByIdFork: { input: { path: { id: string }; body?: { readonly fromStep?: string; readonly input?: { readonly [key: string]: unknown }; readonly args?: { readonly [key: string]: { readonly [key: string]: unknown } } } }; output: { readonly runId: string; readonly events: string } };
  /** List sessions, latest first */
  getSessions: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly id: string; readonly title: string; readonly createdAt: string; readonly updatedAt: string; readonly turns: number; readonly isOpen: boolean }[]; readonly nextCursor: (string | null) } };
  /** Begin a session */
  postSessions: { input: { body?: { readonly title?: string } }; output: { readonly id: string } };
  /** Import a session that was exported */
  postSessionsImport: { input: { body: { readonly session: { readonly [key: string]: unknown } } }; output: { readonly id: string; readonly title: string; readonly createdAt: string; readonly updatedAt: string; readonly turns: number; readonly isOpen: boolean } };
  /** Show a session */
  getSessionsById: { input: { path: { id: string } }; output: { readonly version: 1; readonly id: string; readonly title: string; readonly createdAt: string; readonly updatedAt: string; readonly forkedFrom: ({ readonly session: string; readonly turn: number } | null); readonly summary: ({ readonly text: string; readonly turn: number } | null); readonly turns: number } };
  /** Remove a session */
  deleteSessionsById: { input: { path: { id: string } }; output: unknown };
  /** Export a session as JSON that can be imported */
  getSessionsByIdExport: { input: { path: { id: string } }; output: { readonly version: 1; readonly id: string; readonly title: string; readonly createdAt: string; readonly updatedAt: string; readonly forkedFrom: ({ readonly session: string; readonly turn: number } | null); readonly summary: ({ readonly text: string; readonly turn: number } | null); readonly turns: readonly { readonly number: number; readonly at: string; readonly role: "user" | "assistant"; readonly text: string; readonly outcome?: "plan" | "question" | "refusal" | "answer" | "failed" | "cancelled"; readonly plan?: Plan; readonly alternatives?: readonly Plan[]; readonly questions?: readonly string[]; readonly runId?: string; readonly remembered?: readonly { readonly kind: "code" | "tests" | "review" | "spec" | "file" | "report" | "text"; readonly content?: string; readonly artifact?: string; readonly language?: string; readonly title: string; readonly runId?: string; readonly step?: string; readonly isUnchanged?: true }[]; readonly context?: string; readonly isTainted?: boolean }[] } };
  /** List the turns of a session, oldest first */
  getSessionsByIdTurns: { input: { path: { id: string }; query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly number: number; readonly at: string; readonly role: "user" | "assistant"; readonly text: string; readonly outcome?: "plan" | "question" | "refusal" | "answer" | "failed" | "cancelled"; readonly plan?: Plan; readonly alternatives?: readonly Plan[]; readonly questions?: readonly string[]; readonly runId?: string; readonly remembered?: readonly { readonly kind: "code" | "tests" | "review" | "spec" | "file" | "report" | "text"; readonly content?: string; readonly artifact?: string; readonly language?: string; readonly title: string; readonly runId?: string; readonly step?: string; readonly isUnchanged?: true }[]; readonly context?: string; readonly isTainted?: boolean }[]; readonly nextCursor: (string | null) } };
  /** Copy a session up to a turn */
  postSessionsByIdFork: { input: { path: { id: string }; body?: { readonly upToTurn?: number } }; output: { readonly id: string; readonly title: string; readonly createdAt: string; readonly updatedAt: string; readonly turns: number; readonly isOpen: boolean } };
  /** List contexts with their latest versions, latest first */
  getContexts: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly id: string; readonly name: string; readonly number: number; readonly parent: (string | null); readonly owner: string; readonly createdAt: string; readonly items: number; readonly bytes: number; readonly tokens: number }[]; readonly nextCursor: (string | null) } };
  /** Create a version of a context */
  postContexts: { input: { body: { readonly name: string; readonly items: readonly ({ readonly kind?: "text" | "file"; readonly title?: string; readonly text: string } | { readonly session: string } | { readonly run: string } | { readonly artifact: string } | { readonly memory: string })[]; readonly parent?: string; readonly add?: boolean } }; output: { readonly id: string; readonly name: string; readonly number: number; readonly parent: (string | null); readonly owner: string; readonly createdAt: string; readonly items: number; readonly bytes: number; readonly tokens: number } };
  /** Import versions that were exported, parents first */
  postContextsImport: { input: { body: { readonly versions: readonly string[] } }; output: { readonly added: number; readonly known: number; readonly latest: { readonly id: string; readonly name: string; readonly number: number; readonly parent: (string | null); readonly owner: string; readonly createdAt: string; readonly items: number; readonly bytes: number; readonly tokens: number } } };
  /** Let another caller of your tenant read a context */
  postContextsByIdShare: { input: { path: { id: string }; body: { readonly caller: string } }; output: { readonly sharedWith: readonly string[] } };
  /** End that */
  postContextsByIdUnshare: { input: { path: { id: string }; body: { readonly caller: string } }; output: { readonly sharedWith: readonly string[] } };
  /** Show a version of a context */
  getContextsById: { input: { path: { id: string } }; output: { readonly id: string; readonly name: string; readonly number: number; readonly parent: (string | null); readonly owner: string; readonly createdAt: string; readonly items: number; readonly bytes: number; readonly tokens: number; readonly context: { readonly version: 1; readonly name: string; readonly parent: (string | null); readonly items: readonly { readonly kind: "text" | "file" | "session" | "run" | "memory" | "artifact"; readonly title: string; readonly text: string; readonly source?: string }[] } } };
  /** Remove a context: one version by id, all of them by name */
  deleteContextsById: { input: { path: { id: string } }; output: { readonly removed: number } };
  /** List a version and those it was made from, newest first */
  getContextsByIdVersions: { input: { path: { id: string }; query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly id: string; readonly name: string; readonly number: number; readonly parent: (string | null); readonly owner: string; readonly createdAt: string; readonly items: number; readonly bytes: number; readonly tokens: number }[]; readonly nextCursor: (string | null) } };
  /** Compare a version with another one */
  getContextsByIdDiff: { input: { path: { id: string }; query: { to: string } }; output: { readonly from: string; readonly to: string; readonly isSame: boolean; readonly unchanged: number; readonly changes: readonly { readonly change: "added" | "removed" | "changed"; readonly kind: "text" | "file" | "session" | "run" | "memory" | "artifact"; readonly title: string; readonly patch: string }[] } };
  /** Get as much of a context as fits into a number of tokens */
  getContextsByIdText: { input: { path: { id: string }; query?: { maxTokens?: number } }; output: { readonly id: string; readonly text: string; readonly tokens: number; readonly maxTokens: number; readonly packed: readonly { readonly title: string; readonly tokens: number; readonly isCut: boolean }[]; readonly leftOut: readonly { readonly title: string; readonly tokens: number }[]; readonly hiddenSecrets: number } };
  /** Export a version and those it was made from, oldest first */
  getContextsByIdExport: { input: { path: { id: string }; query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly string[]; readonly nextCursor: (string | null) } };
  /** List the callers that a context of yours is shared with */
  getContextsByIdShares: { input: { path: { id: string } }; output: { readonly sharedWith: readonly string[] } };
  /** List feedback, latest first */
  getFeedback: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly kind: "opinion" | "approval" | "change"; readonly subject: string; readonly isGood: boolean; readonly runId: (string | null); readonly sessionId: (string | null); readonly reason: string; readonly givenAt: string }[]; readonly nextCursor: (string | null) } };
  /** Say what you think of a run or an answer */
  postFeedback: { input: { body: { readonly run?: string; readonly session?: string; readonly verdict: "up" | "down"; readonly reason?: string } }; output: { readonly kind: "opinion" | "approval" | "change"; readonly subject: string; readonly isGood: boolean; readonly runId: (string | null); readonly sessionId: (string | null); readonly reason: string; readonly givenAt: string } };
  /** Show runs, failures, recoveries and feedback of each week */
  getLearned: { input: { query?: { weeks?: number } }; output: { readonly weeks: readonly { readonly week: string; readonly from: string; readonly runs: number; readonly failures: number; readonly repeatedFailures: number; readonly curedFailures: (number | null); readonly recoveries: number; readonly medianSecondsToSuccess: (number | null); readonly up: number; readonly down: number; readonly acceptedChanges: number; readonly rejectedChanges: number }[]; readonly countedRuns: number; readonly isComplete: boolean; readonly failuresFrom: "runs" | "experience" } };
  /** List memory items, latest observed first */
  getMemory: { input: { query?: { limit?: number; cursor?: string; kinds?: readonly ("fact" | "preference" | "decision" | "document" | "turn" | "experience")[]; statuses?: readonly ("active" | "candidate" | "excluded")[]; sensitivities?: readonly ("normal" | "sensitive")[]; observedFrom?: string; observedUntil?: string } }; output: { readonly items: readonly { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) }[]; readonly nextCursor: (string | null) } };
  /** Remember something */
  postMemory: { input: { body: { readonly text: string; readonly kind?: "fact" | "preference" | "decision" | "document" | "experience"; readonly sensitivity?: "normal" | "sensitive"; readonly pinned?: boolean; readonly validFrom?: string; readonly validUntil?: string } }; output: { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) } };
  /** Search the memory by words and meaning */
  getMemorySearch: { input: { query: { query: string; limit?: number; validAt?: string; kinds?: readonly ("fact" | "preference" | "decision" | "document" | "turn" | "experience")[]; statuses?: readonly ("active" | "candidate" | "excluded")[]; sensitivities?: readonly ("normal" | "sensitive")[]; observedFrom?: string; observedUntil?: string } }; output: { readonly hits: readonly { readonly item: { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) }; readonly score: number; readonly receipt: { readonly words: readonly string[]; readonly likeness: (number | null); readonly ageDays: number; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly because: string } }[]; readonly isAnswerable: boolean } };
  /** Explain a memory item: where it comes from, and its versions */
  getMemoryById: { input: { path: { id: string } }; output: { readonly item: { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) }; readonly because: string; readonly evidence: (string | null); readonly earlier: readonly { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) }[]; readonly newer: ({ readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) } | null) } };
  /** Forget a memory item */
  deleteMemoryById: { input: { path: { id: string } }; output: { readonly forgotten: readonly string[]; readonly turns: number } };
  /** Supersede a memory item by a new version */
  postMemoryByIdCorrect: { input: { path: { id: string }; body: { readonly text: string } }; output: { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) } };
  /** Pin, accept or exclude a memory item */
  postMemoryByIdChange: { input: { path: { id: string }; body?: { readonly pinned?: boolean; readonly status?: "active" | "excluded" } }; output: { readonly id: string; readonly kind: "fact" | "preference" | "decision" | "document" | "turn" | "experience"; readonly text: string; readonly source: ({ readonly kind: "turn"; readonly session: string; readonly turn: number; readonly role: "user" | "assistant" } | { readonly kind: "run"; readonly runId: string; readonly step?: string } | { readonly kind: "file"; readonly path: string } | { readonly kind: "person"; readonly face: "cli" | "rest" | "mcp" }); readonly status: "active" | "candidate" | "excluded"; readonly sensitivity: "normal" | "sensitive"; readonly pinned: boolean; readonly observedAt: string; readonly validFrom: string; readonly validUntil: (string | null); readonly supersedes: (string | null); readonly supersededBy: (string | null) } };
  /** List the tools of all servers */
  getTools: { input: { query?: { limit?: number; cursor?: string; server?: string; schemas?: boolean } }; output: { readonly items: readonly { readonly name: string; readonly server: string; readonly title?: string; readonly description?: string; readonly readOnly: boolean; readonly destructive: boolean; readonly inputSchema?: { readonly [key: string]: unknown }; readonly outputSchema?: { readonly [key: string]: unknown } }[]; readonly nextCursor: (string | null) } };
  /** Find the tools that fit what is to be done, best first */
  getToolsFind: { input: { query: { query: string; limit?: number } }; output: { readonly items: readonly { readonly name: string; readonly server: string; readonly title?: string; readonly description?: string; readonly readOnly: boolean; readonly destructive: boolean }[] } };
  /** Show a tool with its schemas */
  getToolsByName: { input: { path: { name: string } }; output: { readonly name: string; readonly server: string; readonly title?: string; readonly description?: string; readonly readOnly: boolean; readonly destructive: boolean; readonly inputSchema: { readonly [key: string]: unknown }; readonly outputSchema?: { readonly [key: string]: unknown } } };
  /** Call a tool */
  postToolsByNameCall: { input: { path: { name: string }; body?: { readonly arguments?: { readonly [key: string]: unknown } } }; output: { readonly content: readonly { readonly [key: string]: unknown }[]; readonly structuredContent?: { readonly [key: string]: unknown }; readonly isError: boolean; readonly error?: { readonly [key: string]: unknown } } };
  /** List the resources of all servers */
  getResources: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly uri: string; readonly name: string; readonly title?: string; readonly description?: string; readonly mimeType?: string; readonly size?: number }[]; readonly nextCursor: (string | null) } };
  /** List the templates of resource addresses */
  getResourcesTemplates: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly name: string; readonly title?: string; readonly description?: string; readonly mimeType?: string; readonly uriTemplate: string }[]; readonly nextCursor: (string | null) } };
  /** Read a resource */
  getResourcesContent: { input: { query: { uri: string } }; output: { readonly contents: readonly { readonly uri: string; readonly mimeType?: string; readonly text?: string; readonly blob?: string }[] } };
  /** List the prompts of all servers */
  getPrompts: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly name: string; readonly title?: string; readonly description?: string; readonly arguments?: readonly { readonly name: string; readonly title?: string; readonly description?: string; readonly required?: boolean }[] }[]; readonly nextCursor: (string | null) } };
  /** Get the messages of a prompt */
  postPromptsByName: { input: { path: { name: string }; body?: { readonly arguments?: { readonly [key: string]: string } } }; output: { readonly description?: string; readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: { readonly [key: string]: unknown } }[] } };
  /** List the servers and how they do */
  getServers: { input: {  }; output: { readonly items: readonly { readonly name: string; readonly transport: "in-process" | "stdio" | "http" | "sse"; readonly state: "idle" | "starting" | "ready" | "restarting" | "crash-looping" | "failed" | "disabled" | "untrusted"; readonly since: string; readonly pid: (number | null); readonly restarts: number; readonly lastError: (string | null); readonly tools: number; readonly resources: number; readonly prompts: number; readonly calls: number; readonly failedCalls: number; readonly p50Ms: (number | null); readonly p99Ms: (number | null); readonly memoryBytes: (number | null); readonly protocolVersion: (string | null); readonly version: (string | null); readonly source: "built-in" | "user" | "project" | "flag"; readonly problems: readonly string[]; readonly changedTools: readonly { readonly tool: string; readonly kind: "changed" | "new" | "instructions"; readonly isHeld: boolean; readonly fields: readonly string[]; readonly at: string; readonly isLessCareful: boolean }[]; readonly flags: readonly { readonly tool: string; readonly kind: string; readonly message: string }[]; readonly login: ({ readonly state: "needed" | "active" | "expired" | "revoked"; readonly callerId: string; readonly account: (string | null); readonly issuer: (string | null); readonly scopes: readonly string[]; readonly expiresAt: (string | null); readonly isRenewable: boolean } | null) }[]; readonly collisions: readonly string[] } };
  /** Show a server */
  getServersByName: { input: { path: { name: string } }; output: { readonly name: string; readonly transport: "in-process" | "stdio" | "http" | "sse"; readonly state: "idle" | "starting" | "ready" | "restarting" | "crash-looping" | "failed" | "disabled" | "untrusted"; readonly since: string; readonly pid: (number | null); readonly restarts: number; readonly lastError: (string | null); readonly tools: number; readonly resources: number; readonly prompts: number; readonly calls: number; readonly failedCalls: number; readonly p50Ms: (number | null); readonly p99Ms: (number | null); readonly memoryBytes: (number | null); readonly protocolVersion: (string | null); readonly version: (string | null); readonly source: "built-in" | "user" | "project" | "flag"; readonly problems: readonly string[]; readonly changedTools: readonly { readonly tool: string; readonly kind: "changed" | "new" | "instructions"; readonly isHeld: boolean; readonly fields: readonly string[]; readonly at: string; readonly isLessCareful: boolean }[]; readonly flags: readonly { readonly tool: string; readonly kind: string; readonly message: string }[]; readonly login: ({ readonly state: "needed" | "active" | "expired" | "revoked"; readonly callerId: string; readonly account: (string | null); readonly issuer: (string | null); readonly scopes: readonly string[]; readonly expiresAt: (string | null); readonly isRenewable: boolean } | null) } };
  /** Read the latest lines a server wrote to standard error */
  getServersByNameLogs: { input: { path: { name: string }; query?: { lines?: number } }; output: { readonly lines: readonly string[] } };
  /** Restart a server */
  postServersByNameRestart: { input: { path: { name: string } }; output: { readonly name: string; readonly transport: "in-process" | "stdio" | "http" | "sse"; readonly state: "idle" | "starting" | "ready" | "restarting" | "crash-looping" | "failed" | "disabled" | "untrusted"; readonly since: string; readonly pid: (number | null); readonly restarts: number; readonly lastError: (string | null); readonly tools: number; readonly resources: number; readonly prompts: number; readonly calls: number; readonly failedCalls: number; readonly p50Ms: (number | null); readonly p99Ms: (number | null); readonly memoryBytes: (number | null); readonly protocolVersion: (string | null); readonly version: (string | null); readonly source: "built-in" | "user" | "project" | "flag"; readonly problems: readonly string[]; readonly changedTools: readonly { readonly tool: string; readonly kind: "changed" | "new" | "instructions"; readonly isHeld: boolean; readonly fields: readonly string[]; readonly at: string; readonly isLessCareful: boolean }[]; readonly flags: readonly { readonly tool: string; readonly kind: string; readonly message: string }[]; readonly login: ({ readonly state: "needed" | "active" | "expired" | "revoked"; readonly callerId: string; readonly account: (string | null); readonly issuer: (string | null); readonly scopes: readonly string[]; readonly expiresAt: (string | null); readonly isRenewable: boolean } | null) } };
  /** Accept the tools of a server that changed */
  postServersByNameAcceptTools: { input: { path: { name: string } }; output: { readonly accepted: readonly { readonly tool: string; readonly kind: "changed" | "new" | "instructions"; readonly isHeld: boolean; readonly fields: readonly string[]; readonly at: string; readonly isLessCareful: boolean }[] } };
  /** List artifacts, latest first */
  getArtifacts: { input: { query?: { limit?: number; cursor?: string; runId?: string } }; output: { readonly items: readonly { readonly id: string; readonly bytes: number; readonly mediaType: string; readonly createdAt: string; readonly lineage: readonly { readonly runId: string; readonly step: string; readonly tool: (string | null); readonly argumentsDigest: (string | null); readonly inputs: readonly string[]; readonly createdAt: string }[] }[]; readonly nextCursor: (string | null) } };
  /** Describe an artifact and what made it */
  getArtifactsById: { input: { path: { id: string } }; output: { readonly id: string; readonly bytes: number; readonly mediaType: string; readonly createdAt: string; readonly lineage: readonly { readonly runId: string; readonly step: string; readonly tool: (string | null); readonly argumentsDigest: (string | null); readonly inputs: readonly string[]; readonly createdAt: string }[] } };
  /** Read the bytes of an artifact */
  getArtifactsByIdContent: { input: { path: { id: string } }; output: unknown };
  /** List traces, latest first */
  getTraces: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly traceId: string; readonly name: string; readonly startedAt: string; readonly durationMs: number; readonly spans: number; readonly errors: number; readonly isFailed: boolean; readonly runId: (string | null) }[]; readonly nextCursor: (string | null) } };
  /** Show the spans of a trace */
  getTracesById: { input: { path: { id: string } }; output: { readonly traceId: string; readonly spans: readonly { readonly spanId: string; readonly parentSpanId: (string | null); readonly name: string; readonly kind: string; readonly startedAt: string; readonly durationMs: number; readonly status: "unset" | "ok" | "error"; readonly statusMessage: (string | null); readonly attributes: { readonly [key: string]: unknown } }[] } };
  /** List the language models and how they do */
  getModels: { input: {  }; output: { readonly items: readonly { readonly name: string; readonly provider: (string | null); readonly model: (string | null); readonly source: "configured" | "detected" | "client"; readonly roles: { readonly [key: string]: number }; readonly contextTokens: (number | null); readonly isReachable: boolean; readonly problem?: string }[] } };
  /** Count calls, runs and sessions */
  getUsage: { input: {  }; output: { readonly runs: { readonly [key: string]: number }; readonly sessions: number; readonly calls: { readonly total: number; readonly failed: number } } };
  /** Say how the system does */
  getHealth: { input: {  }; output: { readonly status: "ok" | "degraded"; readonly version: string; readonly uptimeSeconds: number; readonly servers: { readonly [key: string]: number } } };
  /** List the API keys of the tenant */
  getKeys: { input: { query?: { limit?: number; cursor?: string } }; output: { readonly items: readonly { readonly id: string; readonly name: string; readonly prefix: string; readonly callerId: string; readonly tenant: string; readonly role: "viewer" | "operator" | "developer" | "admin" | "owner"; readonly scopes: (readonly string[] | null); readonly createdAt: string; readonly expiresAt: (string | null); readonly lastUsedAt: (string | null); readonly revokedAt: (string | null) }[]; readonly nextCursor: (string | null) } };
  /** Create an API key */
  postKeys: { input: { body: { readonly name: string; readonly user?: string; readonly tenant?: string; readonly role: "viewer" | "operator" | "developer" | "admin" | "owner"; readonly scopes?: readonly string[]; readonly expiresAt?: string } }; output: { readonly key: { readonly id: string; readonly name: string; readonly prefix: string; readonly callerId: string; readonly tenant: string; readonly role: "viewer" | "operator" | "developer" | "admin" | "owner"; readonly scopes: (readonly string[] | null); readonly createdAt: string; readonly expiresAt: (string | null); readonly lastUsedAt: (string | null); readonly revokedAt: (string | null) }; readonly secret: string } };
  /** Give a key a new secret */
  postKeysByIdRotate: { input: { path: { id: string }; body?: { readonly graceSeconds?: number } }; output: { readonly key: { readonly id: string; readonly name: string; readonly prefix: string; readonly callerId: string; readonly tenant: string; readonly role: "viewer" | "operator" | "developer" | "admin" | "owner"; readonly scopes: (readonly string[] | null); readonly createdAt: string; readonly expiresAt: (string | null); readonly lastUsedAt: (string | null); readonly revokedAt: (string | null) }; readonly secret: string } };
  /** Revoke a key at once */
  deleteKeysById: { input: { path: { id: string } }; output: { readonly id: string; readonly name: string; readonly prefix: string; readonly callerId: string; readonly tenant: string; readonly role: "viewer" | "operator" | "developer" | "admin" | "owner"; readonly scopes: (readonly string[] | null); readonly createdAt: string; readonly expiresAt: (string | null); readonly lastUsedAt: (string | null); readonly revokedAt: (string | null) } };
  /** List what was allowed and refused, oldest first */
  getAudit: { input: { query?: { limit?: number; cursor?: string; isAllowed?: boolean; callerId?: string } }; output: { readonly items: readonly { readonly number: number; readonly at: string; readonly callerId: (string | null); readonly tenant: (string | null); readonly credential: (string | null); readonly action: string; readonly target: string; readonly isAllowed: boolean; readonly rule: string; readonly face: "rest" | "mcp" | "cli" | "run"; readonly argumentsDigest: (string | null); readonly address: (string | null); readonly traceId: (string | null); readonly previousDigest: string; readonly digest: string }[]; readonly nextCursor: (string | null) } };
  /** Check that nothing in the audit log was changed, removed or reordered */
  postAuditVerify: { input: {  }; output: { readonly entries: number; readonly isIntact: boolean; readonly problem?: { readonly number: number; readonly message: string } } };
}

/** Method and path of every operation. */
export const operations = {
  postTasks: ['POST', '/api/v1/tasks'],
  postSessionsByIdMessages: ['POST', '/api/v1/sessions/{id}/messages'],
  postTurns: ['POST', '/api/v1/turns'],
  getTurnsByIdEvents: ['GET', '/api/v1/turns/{id}/events'],
  postTurnsByIdCancel: ['POST', '/api/v1/turns/{id}/cancel'],
  postPlansCheck: ['POST', '/api/v1/plans/check'],
  postPlansDraw: ['POST', '/api/v1/plans/draw'],
  getRuns: ['GET', '/api/v1/runs'],
  postRuns: ['POST', '/api/v1/runs'],
  getRunsById: ['GET', '/api/v1/runs/{id}'],
  getRunsByIdSteps: ['GET', '/api/v1/runs/{id}/steps'],
  getRunsByIdJournal: ['GET', '/api/v1/runs/{id}/journal'],
  getRunsByIdEvents: ['GET', '/api/v1/runs/{id}/events'],
  postRunsByIdApprove: ['POST', '/api/v1/runs/{id}/approve'],
  postRunsByIdDeny: ['POST', '/api/v1/runs/{id}/deny'],
  postRunsByIdResolve: ['POST', '/api/v1/runs/{id}/resolve'],
  postRunsByIdRepair: ['POST', '/api/v1/runs/{id}/repair'],
  postRunsByIdCancel: ['POST', '/api/v1/runs/{id}/cancel'],
  postRunsByIdPause: ['POST', '/api/v1/runs/{id}/pause'],
  postRunsByIdResume: ['POST', '/api/v1/runs/{id}/resume'],
  postRunsByIdSignalsByName: ['POST', '/api/v1/runs/{id}/signals/{name}'],
  postRunsByIdRetry: ['POST', '/api/v1/runs/{id}/retry'],
  postRunsByIdFork: ['POST', '/api/v1/runs/{id}/fork'],
  getSessions: ['GET', '/api/v1/sessions'],
  postSessions: ['POST', '/api/v1/sessions'],
  postSessionsImport: ['POST', '/api/v1/sessions/import'],
  getSessionsById: ['GET', '/api/v1/sessions/{id}'],
  deleteSessionsById: ['DELETE', '/api/v1/sessions/{id}'],
  getSessionsByIdExport: ['GET', '/api/v1/sessions/{id}/export'],
  getSessionsByIdTurns: ['GET', '/api/v1/sessions/{id}/turns'],
  postSessionsByIdFork: ['POST', '/api/v1/sessions/{id}/fork'],
  getContexts: ['GET', '/api/v1/contexts'],
  postContexts: ['POST', '/api/v1/contexts'],
  postContextsImport: ['POST', '/api/v1/contexts/import'],
  postContextsByIdShare: ['POST', '/api/v1/contexts/{id}/share'],
  postContextsByIdUnshare: ['POST', '/api/v1/contexts/{id}/unshare'],
  getContextsById: ['GET', '/api/v1/contexts/{id}'],
  deleteContextsById: ['DELETE', '/api/v1/contexts/{id}'],
  getContextsByIdVersions: ['GET', '/api/v1/contexts/{id}/versions'],
  getContextsByIdDiff: ['GET', '/api/v1/contexts/{id}/diff'],
  getContextsByIdText: ['GET', '/api/v1/contexts/{id}/text'],
  getContextsByIdExport: ['GET', '/api/v1/contexts/{id}/export'],
  getContextsByIdShares: ['GET', '/api/v1/contexts/{id}/shares'],
  getFeedback: ['GET', '/api/v1/feedback'],
  postFeedback: ['POST', '/api/v1/feedback'],
  getLearned: ['GET', '/api/v1/learned'],
  getMemory: ['GET', '/api/v1/memory'],
  postMemory: ['POST', '/api/v1/memory'],
  getMemorySearch: ['GET', '/api/v1/memory/search'],
  getMemoryById: ['GET', '/api/v1/memory/{id}'],
  deleteMemoryById: ['DELETE', '/api/v1/memory/{id}'],
  postMemoryByIdCorrect: ['POST', '/api/v1/memory/{id}/correct'],
  postMemoryByIdChange: ['POST', '/api/v1/memory/{id}/change'],
  getTools: ['GET', '/api/v1/tools'],
  getToolsFind: ['GET', '/api/v1/tools/find'],
  getToolsByName: ['GET', '/api/v1/tools/{name}'],
  postToolsByNameCall: ['POST', '/api/v1/tools/{name}/call'],
  getResources: ['GET', '/api/v1/resources'],
  getResourcesTemplates: ['GET', '/api/v1/resources/templates'],
  getResourcesContent: ['GET', '/api/v1/resources/content'],
  getPrompts: ['GET', '/api/v1/prompts'],
  postPromptsByName: ['POST', '/api/v1/prompts/{name}'],
  getServers: ['GET', '/api/v1/servers'],
  getServersByName: ['GET', '/api/v1/servers/{name}'],
  getServersByNameLogs: ['GET', '/api/v1/servers/{name}/logs'],
  postServersByNameRestart: ['POST', '/api/v1/servers/{name}/restart'],
  postServersByNameAcceptTools: ['POST', '/api/v1/servers/{name}/accept-tools'],
  getArtifacts: ['GET', '/api/v1/artifacts'],
  getArtifactsById: ['GET', '/api/v1/artifacts/{id}'],
  getArtifactsByIdContent: ['GET', '/api/v1/artifacts/{id}/content'],
  getTraces: ['GET', '/api/v1/traces'],
  getTracesById: ['GET', '/api/v1/traces/{id}'],
  getModels: ['GET', '/api/v1/models'],
  getUsage: ['GET', '/api/v1/usage'],
  getHealth: ['GET', '/api/v1/health'],
  getKeys: ['GET', '/api/v1/keys'],
  postKeys: ['POST', '/api/v1/keys'],
  postKeysByIdRotate: ['POST', '/api/v1/keys/{id}/rotate'],
  deleteKeysById: ['DELETE', '/api/v1/keys/{id}'],
  getAudit: ['GET', '/api/v1/audit'],
  postAuditVerify: ['POST', '/api/v1/audit/verify'],
} as const;
