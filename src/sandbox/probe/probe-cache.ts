import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { protections, type DriverReport } from '../../contract/sandbox/index.ts';
import { ownVersion, type Clock, type Log } from '../../kernel/index.ts';
import type { SandboxDriver } from '../driver.ts';

/** A machine does not lose protections while it runs, but an administrator may take them away. */
const maxAgeMs = 24 * 60 * 60 * 1000;
/** What can be fixed may be fixed any minute. */
const maxFixableAgeMs = 5 * 60 * 1000;
const maxCacheBytes = 256 * 1024;

const keptProbe = z.object({
  key: z.string(),
  probedAt: z.number(),
  report: z.object({
    driver: z.string(),
    state: z.enum(['ready', 'unavailable', 'unproven']),
    message: z.string(),
    fix: z.string().optional(),
    protections: z.array(
      z.object({
        protection: z.enum(protections),
        holder: z.enum(['kernel', 'supervisor', 'none']),
        evidence: z.string(),
        fix: z.string().optional(),
      }),
    ),
  }),
});

type KeptProbe = z.infer<typeof keptProbe>;

/**
 * Results of probes, in memory and on disk, so that a single call does not pay for the canaries. A file
 * that cannot be read, belongs to another user or is about another kernel, boot or version is no result. A
 * driver that does not work or lacks a protection is tried again each time: what is missing may be
 * being installed, and a canary may have failed because the machine was busy.
 */
export class ProbeCache {
  readonly #directory: string | null;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kept = new Map<string, KeptProbe>();

  constructor(directory: string | null, { clock, log }: { clock: Clock; log: Log }) {
    this.#directory = directory;
    this.#clock = clock;
    this.#log = log;
  }

  async find(driver: SandboxDriver): Promise<DriverReport | undefined> {
    const { key } = await keyOf(driver);
    const kept = this.#kept.get(driver.name) ?? (await this.#read(driver.name));
    if (!kept || kept.key !== key || !this.#isFresh(kept)) return undefined;
    this.#kept.set(driver.name, kept);
    return kept.report;
  }

  async keep(driver: SandboxDriver, report: DriverReport): Promise<void> {
    const isLacking = report.protections.some(({ holder }) => holder === 'none');
    if (report.state === 'unavailable' || isLacking) return;
    const { key, isLasting } = await keyOf(driver);
    const kept = keptProbe.parse({ key, probedAt: this.#clock.now(), report });
    this.#kept.set(driver.name, kept);
    if (this.#directory === null || !isLasting) return;
    try {
      const path = fileOf(this.#directory, driver.name);
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}.draft`;
      await writeFile(draft, JSON.stringify(kept), { mode: 0o600 });
      await rename(draft, path);
    } catch (error) {
      this.#log.warn('failed to cache probe result', {
        driver: driver.name,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  #isFresh({ probedAt, report }: KeptProbe): boolean {
    const isFixable = report.protections.some(({ fix }) => fix !== undefined);
    const age = this.#clock.now() - probedAt;
    return age >= 0 && age < (isFixable ? maxFixableAgeMs : maxAgeMs);
  }

  async #read(driver: string): Promise<KeptProbe | undefined> {
    if (this.#directory === null) return undefined;
    try {
      const path = fileOf(this.#directory, driver);
      await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      const { uid, size, mode } = await file.stat();
      const isOurs = process.getuid === undefined || uid === process.getuid();
      const isWritableByOthers = process.platform !== 'win32' && (mode & 0o022) !== 0;
      if (!isOurs || isWritableByOthers || size > maxCacheBytes) return undefined;
      return keptProbe.parse(JSON.parse(await file.readFile('utf8')));
    } catch {
      return undefined;
    }
  }
}

function fileOf(directory: string, driver: string): string {
  return join(directory, `sandbox-probe-${driver}.json`);
}

interface ProbeKey {
  readonly key: string;
  /** Whether the key tells enough to be compared with that of another process. */
  readonly isLasting: boolean;
}

/** Whatever a result depends on. */
async function keyOf(driver: SandboxDriver): Promise<ProbeKey> {
  // A driver that cannot say it now does not work now, and its probe tells why.
  const fingerprint = await driver.fingerprint?.().catch(() => undefined);
  const parts = [
    ownVersion(),
    process.execPath,
    process.version,
    process.getuid?.(),
    release(),
    await readOr('/proc/sys/kernel/random/boot_id'),
    // Whether limits can be the kernel's depends on where in the tree of cgroups we are.
    await readOr('/proc/self/cgroup'),
    driver.name,
    fingerprint,
  ];
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return { key, isLasting: fingerprint !== undefined };
}

async function readOr(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return '';
  }
}
