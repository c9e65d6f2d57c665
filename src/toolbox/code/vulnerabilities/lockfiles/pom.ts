import { DOMParser, ParseError, type Element } from '@xmldom/xmldom';
import { LockfileMalformedError } from '../../errors.ts';
import type { LockedPackage, ParsedLockfile, SkippedPackage } from '../locked-package.ts';

interface Pom {
  readonly properties: ReadonlyMap<string, string>;
  readonly managed: ReadonlyMap<string, string>;
}

/**
 * `pom.xml`: declared dependencies with properties and `dependencyManagement` of the same file
 * resolved. Transitive dependencies and what a parent or BOM manages are not in the file; a
 * dependency whose version comes from there is listed as skipped.
 */
export function parsePom(text: string, path: string): ParsedLockfile {
  const project = readProject(text, path);
  const properties = propertiesOf(project);
  const managed = new Map<string, string>();
  const pom: Pom = { properties, managed };
  for (const element of dependenciesOf(child(project, 'dependencyManagement'))) {
    const { name, version } = coordinates(element, pom);
    if (version !== undefined) managed.set(name, version);
  }
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  const profiles = childrenOf(child(project, 'profiles'));
  for (const element of [project, ...profiles].flatMap((owner) => dependenciesOf(owner))) {
    const { name, version } = coordinates(element, pom);
    const line = element.lineNumber;
    if (version === undefined || version.includes('${') || /^[[(]/.test(version)) {
      skipped.push({ name, line, reason: reasonFor(version) });
    } else packages.push({ ecosystem: 'Maven', name, version, line, direct: true });
  }
  return { packages, skipped };
}

/** Declared entities are never expanded and nothing outside the text is fetched. */
function readProject(text: string, path: string): Element {
  let problem = new LockfileMalformedError(path, 1, 'its outermost element is no <project>');
  const onError = (level: string, message: string, { locator }: XmlPosition): void => {
    if (level === 'warning' || message.startsWith('entity not found')) return;
    problem = new LockfileMalformedError(path, Math.max(locator.lineNumber, 1), message);
    throw problem;
  };
  try {
    const { documentElement } = new DOMParser({ onError }).parseFromString(text, 'text/xml');
    if (documentElement?.localName === 'project') return documentElement;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  throw problem;
}

interface XmlPosition {
  readonly locator: { readonly lineNumber: number };
}

function reasonFor(version: string | undefined): string {
  if (version === undefined) return 'its version is managed outside this file (parent or BOM)';
  return version.includes('${')
    ? `its version ${version} is not defined in this file`
    : `its version ${version} is a range`;
}

function dependenciesOf(owner: Element | undefined): Element[] {
  const list = owner && child(owner, 'dependencies');
  return childrenOf(list).filter(({ localName }) => localName === 'dependency');
}

function coordinates(
  element: Element,
  pom: Pom,
): { readonly name: string; readonly version: string | undefined } {
  const group = resolveText(textOf(element, 'groupId') ?? '', pom.properties);
  const artifact = resolveText(textOf(element, 'artifactId') ?? '', pom.properties);
  const name = `${group}:${artifact}`;
  const own = textOf(element, 'version');
  const version = own === undefined ? pom.managed.get(name) : resolveText(own, pom.properties);
  return { name, version };
}

function propertiesOf(project: Element): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  const parent = child(project, 'parent');
  for (const field of ['groupId', 'artifactId', 'version']) {
    const inherited = parent && textOf(parent, field);
    const own = textOf(project, field) ?? inherited;
    if (inherited !== undefined) properties.set(`project.parent.${field}`, inherited);
    if (own === undefined) continue;
    properties.set(`project.${field}`, own);
    properties.set(`pom.${field}`, own);
  }
  for (const { localName, textContent } of childrenOf(child(project, 'properties'))) {
    properties.set(localName ?? '', (textContent ?? '').trim());
  }
  return properties;
}

const maxSubstitutions = 20;
const maxTextLength = 1_000;

/** Replaces `${name}` by its property, repeatedly; cycles and growth end at a limit. */
function resolveText(text: string, properties: ReadonlyMap<string, string>): string {
  let resolved = text;
  for (let round = 0; round < maxSubstitutions && resolved.includes('${'); round += 1) {
    const next = resolved.replace(
      /\$\{([^${}]{1,200})\}/g,
      (whole, name: string) => properties.get(name.trim()) ?? whole,
    );
    if (next === resolved || next.length > maxTextLength) break;
    resolved = next;
  }
  return resolved;
}

function childrenOf(element: Element | undefined): Element[] {
  return [...(element?.children ?? [])];
}

function child(element: Element, name: string): Element | undefined {
  return childrenOf(element).find(({ localName }) => localName === name);
}

function textOf(element: Element, name: string): string | undefined {
  return child(element, name)?.textContent?.trim() || undefined;
}

/** `gradle.lockfile` and `buildscript-gradle.lockfile`: `group:artifact:version=configurations`. */
export function parseGradleLockfile(text: string, path: string): ParsedLockfile {
  const packages: LockedPackage[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith('empty=')) return;
    const [group, artifact, version] = (line.split('=')[0] ?? '').split(':');
    if (!group || !artifact || !version) {
      throw new LockfileMalformedError(path, index + 1, 'a line needs group:artifact:version');
    }
    packages.push({
      ecosystem: 'Maven',
      name: `${group}:${artifact}`,
      version,
      line: index + 1,
    });
  });
  return { packages, skipped: [] };
}
