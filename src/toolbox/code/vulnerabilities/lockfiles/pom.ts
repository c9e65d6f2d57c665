import { LockfileMalformedError } from '../errors.ts';
import type { LockedPackage, ParsedLockfile, SkippedPackage } from '../locked-package.ts';
import { readXml, type XmlElement } from './xml-elements.ts';

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
  const project = readXml(text, path);
  if (project.name !== 'project') {
    throw new LockfileMalformedError(path, project.line, `<${project.name}> is not a <project>`);
  }
  const properties = propertiesOf(project);
  const managed = new Map<string, string>();
  const pom: Pom = { properties, managed };
  for (const element of dependenciesOf(child(project, 'dependencyManagement'))) {
    const { name, version } = coordinates(element, pom);
    if (version !== undefined) managed.set(name, version);
  }
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  const profiles = child(project, 'profiles')?.children ?? [];
  for (const element of [project, ...profiles].flatMap((owner) => dependenciesOf(owner))) {
    const { name, version } = coordinates(element, pom);
    const { line } = element;
    if (version === undefined || version.includes('${') || /^[[(]/.test(version)) {
      skipped.push({ name, line, reason: reasonFor(version) });
    } else packages.push({ ecosystem: 'Maven', name, version, line, direct: true });
  }
  return { packages, skipped };
}

function reasonFor(version: string | undefined): string {
  if (version === undefined) return 'its version is managed outside this file (parent or BOM)';
  return version.includes('${')
    ? `its version ${version} is not defined in this file`
    : `its version ${version} is a range`;
}

function dependenciesOf(owner: XmlElement | undefined): XmlElement[] {
  const list = owner && child(owner, 'dependencies');
  return list?.children.filter(({ name }) => name === 'dependency') ?? [];
}

function coordinates(
  element: XmlElement,
  pom: Pom,
): { readonly name: string; readonly version: string | undefined } {
  const group = resolveText(textOf(element, 'groupId') ?? '', pom.properties);
  const artifact = resolveText(textOf(element, 'artifactId') ?? '', pom.properties);
  const name = `${group}:${artifact}`;
  const own = textOf(element, 'version');
  const version = own === undefined ? pom.managed.get(name) : resolveText(own, pom.properties);
  return { name, version };
}

function propertiesOf(project: XmlElement): ReadonlyMap<string, string> {
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
  for (const property of child(project, 'properties')?.children ?? []) {
    properties.set(property.name, property.text.trim());
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

function child(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((candidate) => candidate.name === name);
}

function textOf(element: XmlElement, name: string): string | undefined {
  const text = child(element, name)?.text.trim();
  return text === '' ? undefined : text;
}
