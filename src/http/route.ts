import type { Caller } from '../contract/caller/index.ts';
import { problemFormat, type HttpExchange, type RefusalFormat } from './exchange.ts';

export type Handler<Access> = (exchange: HttpExchange, caller: Access) => Promise<void> | undefined;

interface RouteShape {
  readonly methods: readonly string[];
  /** Segments separated by `/`; `:name` matches one segment, a final `*` everything below. */
  readonly path: string;
  readonly refusals?: RefusalFormat;
  /** Its handler decides whether a request is a call, and asks for its admission. */
  readonly asksAdmission?: true;
}

/** Every route names its access: `open` ones also serve clients that did not authenticate. */
export type Route = RouteShape &
  (
    | { readonly access: 'caller'; readonly handle: Handler<Caller> }
    | { readonly access: 'open'; readonly handle: Handler<Caller | undefined> }
  );

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type FindRoute = (path: string) => RouteMatch | undefined;

/** Fixed paths win over patterns; among patterns the first declared wins. Throws for a path declared twice. */
export function createRouter(routes: readonly Route[]): FindRoute {
  const fixed = new Map<string, RouteMatch>();
  const patterns: (readonly [readonly string[], Route])[] = [];
  const paths = new Set<string>();
  for (const route of routes) {
    if (paths.has(route.path)) throw new Error(`Route ${route.path} is declared twice`);
    paths.add(route.path);
    if (/[:*]/.test(route.path)) patterns.push([route.path.split('/'), route]);
    else fixed.set(route.path, { route, params: noParams });
  }
  return (path) => {
    const found = fixed.get(path);
    if (found) return found;
    const segments = path.split('/');
    for (const [pattern, route] of patterns) {
      const params = matchSegments(pattern, segments);
      if (params) return { route, params };
    }
    return undefined;
  };
}

export function refusalFormat(match: RouteMatch | undefined): RefusalFormat {
  return match?.route.refusals ?? problemFormat;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const params: Record<string, string> = Object.create(null);
  for (const [index, expected] of pattern.entries()) {
    if (expected === '*' && index === pattern.length - 1) return params;
    const segment = segments[index];
    if (segment === undefined) return undefined;
    if (expected.startsWith(':')) {
      const value = decodeSegment(segment);
      if (value === undefined || value === '') return undefined;
      params[expected.slice(1)] = value;
    } else if (expected !== segment) return undefined;
  }
  return segments.length === pattern.length ? params : undefined;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
