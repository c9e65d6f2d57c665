import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '../config/index.ts';
import { pluralize } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { Finding } from './doctor.ts';

const versionLimitMs = 5_000;
const instead = 'Rust is formatted by prettier-plugin-rust instead';
const fix = 'Install it with "rustup component add rustfmt"';

/** Runs it once: rustup puts a stand-in on the PATH that fails where the component is missing. */
export async function checkRustfmt(searchPath: string): Promise<Finding> {
  const path = await findProgram(searchPath);
  if (path === undefined) return { status: 'warning', message: `not on the PATH; ${instead}`, fix };
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: versionLimitMs });
    return { status: 'ok', message: `${path} (${stdout.trim()})` };
  } catch (error) {
    const { stderr, message }: { stderr?: unknown; message?: unknown } = Object(error);
    const said = [stderr, message].find((text) => typeof text === 'string' && text.trim() !== '');
    const [reason = ''] = String(said).trim().split('\n', 1);
    return { status: 'warning', message: `${path} does not run (${reason}); ${instead}`, fix };
  }
}

async function findProgram(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, process.platform === 'win32' ? 'rustfmt.exe' : 'rustfmt');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Shorter than for a run: a user is waiting for the report. */
const requestMs = 3_000;

/** Checked only where the settings name Restate as the engine. */
export async function checkRestate({ engine, restate }: Settings['workflow']): Promise<Finding> {
  if (engine !== 'restate') {
    return { status: 'absent', message: 'not used: "workflow.engine" is "embedded"' };
  }
  const { examineRestate } = await import('../workflow/restate/index.ts');
  const { isHealthy, message, fix } = await examineRestate({
    ingressUrl: restate.ingress_url,
    adminUrl: restate.admin_url,
    requestMs,
  });
  return {
    status: isHealthy ? 'ok' : 'failed',
    message,
    ...(fix !== undefined && { fix }),
  };
}

/** Items, index and vectors must agree; what is still to be computed is counted, not hidden. */
export async function checkMemory(store: Store): Promise<Finding> {
  if (!store.exists()) return { status: 'ok', message: 'no items yet' };
  const state = await store.memoryItems.counts();
  const { items, indexed, vectors, pendingVectors, pendingTurns, problems } = state;
  const counts = `${pluralize(items, 'item')} = ${indexed} in the index = ${pluralize(vectors, 'vector')}`;
  const pending = [
    ...(pendingVectors === 0 ? [] : [`${pluralize(pendingVectors, 'vector')} pending`]),
    ...(pendingTurns === 0 ? [] : [`${pluralize(pendingTurns, 'turn')} pending`]),
  ];
  const message = [counts, ...pending].join(' + ');
  if (problems.length === 0) return { status: 'ok', message };
  const fix = 'Restore a copy made by "tutti backup" in its place';
  return { status: 'failed', message: `${problems.join('; ')} (${message})`, fix };
}
