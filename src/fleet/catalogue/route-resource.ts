import { AppError } from '../../kernel/index.ts';
import { rpcErrorCode } from '../../protocol/index.ts';
import { UpstreamError } from '../upstream/errors.ts';
import { fitsTemplate } from './matches-glob.ts';
import type { Member } from './member.ts';
import type { Roster } from './roster.ts';

/** Who may have a resource: one that lists it, or several to be asked in turn. */
export type ResourceRoute =
  | { readonly kind: 'listed'; readonly member: Member }
  | { readonly kind: 'perhaps'; readonly members: readonly Member[] };

export function routeResource(roster: Roster, uri: string): ResourceRoute {
  const { resourceRoutes, templateRoutes } = roster.names;
  const listed = resourceRoutes.get(uri);
  if (listed) return { kind: 'listed', member: listed };
  const fitting = [...templateRoutes].flatMap(([template, member]) =>
    fitsTemplate(template, uri) ? [member] : [],
  );
  // Servers may have more than they list; one that lists no resource at all is not started for it.
  const others = roster.members.filter(({ listing }) => {
    return listing === undefined || listing.resources.length + listing.templates.length > 0;
  });
  return { kind: 'perhaps', members: [...new Set([...fitting, ...others])] };
}

/** How servers say that they do not have what they were asked for. */
const rpcNotFound: ReadonlySet<number> = new Set([
  -32_002,
  rpcErrorCode.invalidParams,
  rpcErrorCode.methodNotFound,
]);

/**
 * The answer of the first who has what is asked for; `undefined` where nobody has. A member that fails
 * hides none of the others; its failure is thrown where they do not have it either.
 */
export async function askInTurn<Result>(
  members: readonly Member[],
  ask: (member: Member) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  let failure: { readonly error: unknown } | undefined;
  for (const member of members) {
    try {
      const result = await orNotFound(() => ask(member));
      if (result) return result;
    } catch (error) {
      signal.throwIfAborted();
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
  return undefined;
}

/** `undefined` where a server says it does not have what was asked for; other failures are thrown. */
async function orNotFound<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    const isNotFound =
      error instanceof UpstreamError
        ? rpcNotFound.has(error.rpc.code)
        : error instanceof AppError && error.code.endsWith('.not_found');
    if (isNotFound) return undefined;
    throw error;
  }
}
