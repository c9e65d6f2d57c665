import { wish } from './classify-delivery.ts';
import type { Surroundings } from './classify-piece.ts';
import type { PieceView } from './piece-view.ts';
import type { Capability, Reading } from './wish.ts';

/** Pieces that ask for one of the measuring and checking tools by its own subject. Undefined for all others. */
export function classifyToolbox(view: PieceView, around: Surroundings): Reading | undefined {
  const capability = toolboxCapability(view, around);
  if (!capability) return undefined;
  const rival = capability === 'securityScan' || capability === 'secrets' ? 'review' : undefined;
  return { kind: 'wishes', wishes: [wish(capability, view, rival ? { rival } : {})] };
}

function toolboxCapability(view: PieceView, around: Surroundings): Capability | undefined {
  const makes = view.leads('v.create', 'v.want') && view.hasOwnVerb && view.headIs('n.soft');
  const asks =
    view.isQuestion ||
    view.leads('v.review', 'v.scan', 'v.list', 'v.search', 'v.deliver', 'v.read') ||
    /^(?:measure|compute|calculate|draw|plot|find|count|miss|berechne|show)/u.test(
      view.words[0]?.word ?? '',
    ) ||
    view.says('measure', 'draw', 'compute', 'find');
  if (makes) return undefined;
  if (view.leads('v.format') && !view.headIs('n.test')) return 'format';
  if (view.has('n.fixes') && view.leads('v.change', 'v.create')) return 'fixes';
  if (view.has('n.status') && asks) return 'status';
  if (view.has('n.imports') && (asks || view.leads('v.create'))) return 'imports';
  if (view.has('n.vuln') && asks) return 'vulnerabilities';
  if (
    view.says('dependencies', 'packages') &&
    view.says('vulnerable', 'vulnerabilities', 'insecure', 'outdated')
  )
    return 'vulnerabilities';
  const isLocked = view.paths.some(({ text }) =>
    /(?:-lock\.|\.lock$|lock\.json$|go\.sum$|requirements\.txt$|pom\.xml$)/u.test(text),
  );
  if (isLocked && view.leads('v.review', 'v.scan')) return 'vulnerabilities';
  if (view.has('n.secret') && asks) return 'secrets';
  if (view.leads('v.scan')) return 'securityScan';
  if (view.has('n.standard') && view.isQuestion && !view.refers) return 'standard';
  if (
    view.has('n.docs') &&
    (view.isQuestion || view.leads('v.search', 'v.read', 'v.list')) &&
    !view.refers
  )
    return 'docs';
  const isAbout =
    view.refers ||
    around.hasContext ||
    view.paths.length > 0 ||
    around.wished.some((wished) => wished === 'code' || wished === 'review' || wished === 'read');
  if (view.has('n.complexity') && asks && isAbout && !view.says('time', 'focus'))
    return 'complexity';
  return undefined;
}
