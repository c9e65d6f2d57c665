import { stat } from 'node:fs/promises';
import type { LoadedSettings } from '../config/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { Check } from '../contract/doctor/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Sandbox } from '../contract/sandbox/index.ts';
import { pluralize, reportError } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { checkMemory, checkRestate, checkRustfmt } from './doctor-tools.ts';
import { examineSandbox } from './doctor-sandbox.ts';

interface DoctorParts {
  readonly settings: LoadedSettings;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly fleet: FleetControl;
  readonly sandbox: () => Promise<Sandbox>;
  /** The `PATH` that programs are looked up in. */
  readonly searchPath: string;
}

export type Finding = Omit<Check, 'name'>;

const checks: readonly (readonly [string, (parts: DoctorParts) => Promise<Finding>])[] = [
  ['node', checkNode],
  ['settings', checkSettings],
  ['data directory', checkHome],
  ['database', checkDatabase],
  ['memory', ({ store }) => checkMemory(store)],
  ['roots', checkRoots],
  ['servers', checkServers],
  ['rustfmt', ({ searchPath }) => checkRustfmt(searchPath)],
  ['restate', ({ settings }) => checkRestate(settings.values.workflow)],
];

/** Looks at everything Tutti needs. A check that breaks is a failed check, never an exception. */
export async function examine(parts: DoctorParts): Promise<readonly Check[]> {
  const results: Check[] = [];
  for (const [name, check] of checks) {
    const finding = await check(parts).catch((error: unknown): Finding => ({
      status: 'failed',
      message: reportError(error).message,
    }));
    results.push({ name, ...finding });
  }
  return [...results, ...(await examineSandbox(parts.sandbox))];
}

async function checkNode(): Promise<Finding> {
  return { status: 'ok', message: `Node ${process.versions.node}` };
}

async function checkSettings({ settings }: DoctorParts): Promise<Finding> {
  const [warning] = settings.warnings;
  if (warning !== undefined) return { status: 'warning', message: warning };
  const files = settings.files.length > 0 ? settings.files.join(', ') : 'no file, defaults';
  return { status: 'ok', message: `valid (${files})` };
}

async function checkHome({ settings }: DoctorParts): Promise<Finding> {
  const { home } = settings.values;
  prepareDataDirectory(home);
  return { status: 'ok', message: home };
}

async function checkDatabase({ store }: DoctorParts): Promise<Finding> {
  if (store.server) {
    const { version, latencyMs } = await store.server.describe();
    const message = `PostgreSQL ${version} at ${store.path} answers in ${latencyMs.toFixed(1)} ms`;
    return { status: 'ok', message };
  }
  if (!store.exists()) return { status: 'ok', message: 'not there yet; made on first use' };
  const report = store.checkIntegrity();
  if (report.ok) return { status: 'ok', message: `${store.path} is sound` };
  const isDamaged = report.findings.some((finding) => finding.kind !== 'permission');
  return {
    status: isDamaged ? 'failed' : 'warning',
    message: report.findings.map((finding) => finding.message).join('; '),
    ...(isDamaged ? { fix: 'Restore a copy made by "tutti backup" in its place' } : {}),
  };
}

async function checkRoots({ settings }: DoctorParts): Promise<Finding> {
  const missing: string[] = [];
  for (const root of settings.values.roots) {
    const isFolder = await stat(root).then(
      (info) => info.isDirectory(),
      () => false,
    );
    if (!isFolder) missing.push(root);
  }
  if (missing.length === 0) return { status: 'ok', message: settings.values.roots.join(', ') };
  const fix = 'Correct the setting "roots"';
  return { status: 'warning', message: `no such folder: ${missing.join(', ')}`, fix };
}

const configuredFix =
  'Correct the entry; "tutti servers logs NAME" shows what the server wrote, "tutti servers disable NAME" turns it off';
const listingFix = 'Install Tutti anew if a file of it is missing; the log file says more';

async function checkServers({ catalogue, fleet }: DoctorParts): Promise<Finding> {
  const entries = await catalogue.entries();
  const servers = [...new Set(entries.map((entry) => entry.server))];
  const listed =
    entries.length === 0
      ? 'no server offers a tool'
      : `${servers.join(', ')}: ${pluralize(entries.length, 'tool')}`;
  const failures = catalogue.failures?.() ?? [];
  if (failures.length > 0) {
    const reasons = failures.map(
      ({ server, message }) => `${server} could not be listed: ${message}`,
    );
    const message = `${reasons.join('; ')} (${listed})`;
    const statuses = await fleet.status();
    const isOurs = (name: string): boolean =>
      statuses.some((status) => status.name === name && status.source === 'built-in');
    if (failures.some(({ server }) => isOurs(server))) {
      return { status: 'failed', message, fix: listingFix };
    }
    return { status: 'warning', message, fix: configuredFix };
  }
  const suspicious = await suspiciousTools(fleet);
  if (suspicious.length > 0) {
    const message = `${listed}; ${suspicious.join('; ')}`;
    return { status: 'warning', message, fix: suspiciousFix };
  }
  return { status: entries.length === 0 ? 'failed' : 'ok', message: listed };
}

const suspiciousFix =
  'Look at them with "tutti tools NAME" and "tutti servers diff SERVER"; "tutti servers disable SERVER" turns a server off';
const maxSuspicious = 5;

async function suspiciousTools(fleet: DoctorParts['fleet']): Promise<readonly string[]> {
  const all = (await fleet.status()).flatMap(({ name, flags, changedTools }) => [
    ...flags.map((flag) => `${name}.${flag.tool}: ${flag.message}`),
    ...changedTools
      .filter(({ isHeld }) => isHeld)
      .map(({ tool }) => `${name}.${tool} is held back`),
  ]);
  const more = all.length - maxSuspicious;
  return [...all.slice(0, maxSuspicious), ...(more > 0 ? [`${more} more`] : [])];
}
