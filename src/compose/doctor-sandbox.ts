import { z } from 'zod';
import type { Check } from '../contract/doctor/index.ts';
import type { DriverReport, Holder, Sandbox } from '../contract/sandbox/index.ts';
import { reportError } from '../kernel/index.ts';

/** The languages code runs in, by their toolchains. */
const toolchains = ['python', 'node', 'go', 'rust', 'java', 'shell'] as const;

/** What holds programs on this machine: every driver with its protections, and the languages. */
export async function examineSandbox(open: () => Promise<Sandbox>): Promise<readonly Check[]> {
  try {
    const sandbox = await open();
    const reports = await sandbox.examine();
    const use = await checkUse(sandbox);
    const isUsable = use.languages > 0;
    return [use.check, ...reports.map((report) => checkDriver(report, isUsable))];
  } catch (error) {
    return [{ name: 'sandbox', status: 'failed', message: reportError(error).message }];
  }
}

interface Use {
  readonly check: Check;
  /** How many code can be run in. */
  readonly languages: number;
}

/** Whether code can be run at all, and in which languages. */
async function checkUse(sandbox: Sandbox): Promise<Use> {
  const name = 'sandbox';
  const found: string[] = [];
  const missing: string[] = [];
  for (const toolchain of toolchains) {
    try {
      const { version } = await sandbox.toolchain(toolchain);
      found.push(`${toolchain} ${version}`);
    } catch (error) {
      const { code, message, details } = reportError(error);
      if (code !== 'sandbox.toolchain_missing') {
        const lack = firstLack(details) ?? { reason: firstLine(message) };
        return { languages: 0, check: { name, status: 'warning', ...unusable(lack) } };
      }
      missing.push(firstLine(message).replace(/^The program was not run: /, `${toolchain}: `));
    }
  }
  const message = `runs ${found.join(', ')}`;
  const languages = found.length;
  if (missing.length === 0) return { languages, check: { name, status: 'ok', message } };
  return { languages, check: { name, status: 'warning', message, fix: missing.join('; ') } };
}

interface Lack {
  readonly reason: string;
  readonly fix?: string;
}

function unusable({ reason, ...fix }: Lack): Pick<Check, 'message' | 'fix'> {
  return { message: `code cannot be run: ${reason}`, ...fix };
}

/** Drivers come in the order they are preferred in, so the first is the easiest to cure. */
function firstLack(details: Readonly<Record<string, unknown>>): Lack | undefined {
  const [first] = unfitDrivers.safeParse(details).data?.drivers ?? [];
  if (first === undefined) return undefined;
  const { reason, ...said } = readLack(first.missing[0] ?? 'it does not work here');
  const fix = first.fixes[0] ?? said.fix;
  return { reason: `${first.driver}: ${reason}`, ...(fix !== undefined && { fix }) };
}

const unfitDrivers = z.object({
  drivers: z.array(
    z.object({
      driver: z.string(),
      missing: z.array(z.string()),
      fixes: z.array(z.string()),
    }),
  ),
});

/** The error of a driver that cannot start a sandbox carries the reason, and often the cure, in one sentence. */
function readLack(message: string): Lack {
  const said = /could not be started: (.*)\. Run tutti doctor/s.exec(message)?.[1] ?? message;
  const [reason = said, fix] = said.split('. To fix it: ');
  return { reason, ...(fix !== undefined && { fix }) };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** A driver that does not work here is no worry where another one does. */
function checkDriver(report: DriverReport, isUsable: boolean): Check {
  const { driver, state, protections } = report;
  const { reason, fix = report.fix } = readLack(report.message);
  const held = (holder: Holder): number =>
    protections.filter((protection) => protection.holder === holder).length;
  const counts = `kernel holds ${held('kernel')}, supervisor ${held('supervisor')}, missing ${held('none')}`;
  const isAbsent = state === 'unavailable' && isUsable;
  const isFine = state === 'ready' && held('none') === 0;
  const what = state === 'unproven' ? 'not proven on such a machine: ' : '';
  return {
    name: `sandbox ${driver}`,
    status: isAbsent ? 'absent' : isFine ? 'ok' : 'warning',
    message: `${what}${reason}${protections.length > 0 ? ` (${counts})` : ''}`,
    ...(fix !== undefined && { fix }),
    ...(protections.length > 0 && {
      details: protections.map(({ protection, holder, evidence, fix: better }) => ({
        name: protection,
        holder,
        message: evidence,
        ...(better !== undefined && { fix: better }),
      })),
    }),
  };
}
