import type { Settings } from '../config/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import { wireTextOf, withWireText } from '../contract/wire/index.ts';
import type { OpenFleet, ServerEntry } from '../fleet/index.ts';
import { Gate } from '../kernel/index.ts';
import { isRecord, rawMember } from '../protocol/index.ts';
import type { EmbedderHere } from './embedder.ts';
import { openFleet, type FleetParts } from './fleet.ts';
import { offerKey } from './offer-key.ts';
import { openToolFinder, type ToolFinder } from './tool-finder.ts';

interface AdminParts {
  readonly settings: Settings;
  readonly version: string;
  /** The fleet this server will be a part of. */
  readonly fleet: () => OpenFleet;
  readonly finder: ToolFinder;
  readonly workflows: Workflows;
}

/** The fleet with a server in it that knows the fleet. */
export function openAdministeredFleet(
  parts: FleetParts & Pick<AdminParts, 'workflows'> & { readonly embedder: EmbedderHere },
): {
  readonly fleet: OpenFleet;
  readonly finder: ToolFinder;
} {
  const { settings, version, log, workflows, embedder } = parts;
  const finder = openToolFinder({
    settings,
    log,
    embedder,
    entries: () => fleet.catalogue.entries(),
  });
  const admin = adminServer({ settings, version, fleet: () => fleet, finder, workflows });
  const fleet = openFleet({ ...parts, ours: [...parts.ours, admin] });
  return { fleet, finder };
}

/** The longest any server's calls may take: those go through `call_tool` and have limits of their own. */
const timeoutMs = 3_600_000;

function adminServer({ settings, version, fleet, finder, workflows }: AdminParts): ServerEntry {
  const { max_concurrent_requests: maxConcurrent, max_waiting_requests: maxWaiting } =
    settings.performance;
  return {
    name: 'admin',
    cacheKey: offerKey(import.meta.url, [version]),
    // Places of its own: a call that waits for the one it makes must not hold what that one needs.
    gate: new Gate({ maxConcurrent, maxWaiting }),
    timeoutMs,
    open: async () => {
      const { createAdminServer } = await import('../toolbox/admin/index.ts');
      const { catalogue, control } = fleet();
      const search = await finder.search();
      const { home, workflow } = settings;
      const system = { workflows, engine: workflow.engine, home };
      return createAdminServer({
        version,
        catalogue,
        fleet: control,
        search,
        innerArguments,
        ...system,
      });
    },
  };
}

/** The arguments of the inner call with the exact text they came as, so that they are passed on as sent. */
export function innerArguments(args: object): object | undefined {
  const text = wireTextOf(args);
  const inner = isRecord(args) ? args['arguments'] : undefined;
  const raw = text === undefined ? undefined : rawMember(text, 'arguments');
  return raw !== undefined && isRecord(inner) ? withWireText(inner, raw) : undefined;
}
