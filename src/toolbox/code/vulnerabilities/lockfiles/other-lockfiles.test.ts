import { describe, expect, it } from 'vitest';
import {
  packagesOf,
  parseAs,
} from '../../../../../testkit/toolbox/code/vulnerabilities/parse-lockfile.ts';

describe('Cargo.lock', () => {
  it('knows the workspace members, versions chosen among several, and what is not from crates.io', async () => {
    const registry = 'source = "registry+https://github.com/rust-lang/crates.io-index"';
    const text = `version = 3\n[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["rand 0.7.3", "log"]\n[[package]]\nname = "rand"\nversion = "0.7.3"\n${registry}\n[[package]]\nname = "rand"\nversion = "0.8.5"\n${registry}\n[[package]]\nname = "log"\nversion = "0.4.1"\n${registry}\ndependencies = ["rand 0.8.5 (registry+x)"]\n[[package]]\nname = "g"\nversion = "1.0.0"\nsource = "git+https://example.com"\n`;
    const { packages, rootKeys, skipped } = await parseAs('Cargo.lock', text);
    expect(packages.map(({ name, version, line }) => `${name}@${version}:${line}`)).toEqual([
      'rand@0.7.3:6',
      'rand@0.8.5:10',
      'log@0.4.1:14',
    ]);
    expect(rootKeys).toEqual(['rand 0.7.3', 'log 0.4.1']);
    expect(packages[2]?.requires).toEqual(['rand 0.8.5']);
    expect(skipped.map(({ name }) => name)).toEqual(['g']);
  });
});

describe('lock files of Go', () => {
  const mod = [
    'module example.com/app',
    '',
    'go 1.22',
    'require example.com/one v1.2.3',
    'require (',
    '\texample.com/two v0.0.0-20190101000000-abcdefabcdef // indirect',
    '\texample.com/three/v2 v2.0.0+incompatible',
    '\texample.com/four v1.0.0',
    ')',
    'replace example.com/three/v2 => example.com/fork v2.0.1',
    'replace (',
    '\texample.com/four v1.0.0 => ../four',
    ')',
  ].join('\n');

  it('go.mod gives direct and indirect modules with replacements applied', async () => {
    const { packages, skipped } = await parseAs('go.mod', mod);
    expect(
      packages.map(({ name, version, line, direct }) => [name, version, line, direct]),
    ).toEqual([
      ['example.com/one', '1.2.3', 4, true],
      ['example.com/two', '0.0.0-20190101000000-abcdefabcdef', 6, false],
      ['example.com/fork', '2.0.1', 7, true],
    ]);
    expect(skipped).toMatchObject([{ name: 'example.com/four', line: 8 }]);
  });

  it('go.sum gives modules, not the hashes of their go.mod files', async () => {
    const text = 'example.com/a v1.0.0 h1:x=\nexample.com/a v1.0.0/go.mod h1:y=\n';
    expect(await packagesOf('go.sum', text)).toEqual(['example.com/a@1.0.0:1']);
  });

  it.each([
    ['go.mod', 'module x\nrequire (\n  example.com/a latest\n)', 3],
    ['go.sum', 'example.com/a v1.0.0 h1:x=\nwhat is this', 2],
  ])('%s malformed is reported with its line', async (name, text, line) => {
    await expect(parseAs(name, text)).rejects.toMatchObject({ details: { line } });
  });
});

describe('lock files of Maven', () => {
  const pom = `<?xml version="1.0"?>
<!DOCTYPE project [ <!ENTITY x "never expanded"> ]>
<!-- a comment with <dependency> -->
<project xmlns="http://maven.apache.org/POM/4.0.0" note="a > b">
  <parent><groupId>org.example</groupId><version>7</version></parent>
  <artifactId>app</artifactId>
  <properties>
    <jackson.version>\${jackson.line}.1</jackson.version>
    <jackson.line>2.9</jackson.line>
    <loop>\${loop}</loop>
  </properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.m</groupId><artifactId>managed</artifactId><version>3.1</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency>
      <groupId>com.fasterxml.jackson.core</groupId>
      <artifactId>jackson-databind</artifactId>
      <version>\${jackson.version}</version>
    </dependency>
    <dependency><groupId>org.m</groupId><artifactId>managed</artifactId></dependency>
    <dependency><groupId>\${project.groupId}</groupId><artifactId>sibling</artifactId><version>\${project.version}</version></dependency>
    <dependency><groupId>a</groupId><artifactId>loop</artifactId><version>\${loop}</version></dependency>
    <dependency><groupId>a</groupId><artifactId>bom</artifactId></dependency>
    <dependency><groupId>a</groupId><artifactId>range</artifactId><version><![CDATA[[1.0,2.0)]]></version></dependency>
  </dependencies>
  <profiles><profile><dependencies>
    <dependency><groupId>a</groupId><artifactId>in-profile</artifactId><version>1&amp;2</version><optional/></dependency>
  </dependencies></profile></profiles>
</project>`;

  it('pom.xml resolves properties, management and the parent inside the file', async () => {
    expect(await packagesOf('pom.xml', pom)).toEqual([
      'com.fasterxml.jackson.core:jackson-databind@2.9.1:16',
      'org.m:managed@3.1:21',
      'org.example:sibling@7:22',
      'a:in-profile@1&2:28',
    ]);
    const { skipped } = await parseAs('pom.xml', pom);
    expect(skipped.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      'a:loop: its version ${loop} is not defined in this file',
      'a:bom: its version is managed outside this file (parent or BOM)',
      'a:range: its version [1.0,2.0) is a range',
    ]);
  });

  it('gradle.lockfile gives group:artifact:version', async () => {
    const text =
      '# comment\norg.a:b:1.2.3=compileClasspath,runtimeClasspath\nempty=annotationProcessor\n';
    expect(await packagesOf('gradle.lockfile', text)).toEqual(['org.a:b@1.2.3:2']);
  });

  it.each([
    ['pom.xml', '<project>\n<a>\n</project>', 2],
    ['pom.xml', '<project>\n<a>', 2],
    ['pom.xml', '<html></html>', 1],
    ['pom.xml', '', 1],
    ['pom.xml', '<project>\n<!-- never closed', 2],
    ['pom.xml', '<!DOCTYPE', 1],
    ['pom.xml', '<!DOCTYPE a [ <!ENTITY b "c"> ', 1],
    ['pom.xml', '<project attribute="unclosed>', 1],
    ['pom.xml', '<a>\n'.repeat(10_000), 10_000],
    ['gradle.lockfile', 'fine:fine:1=x\nnonsense', 2],
  ])('%s malformed as %.40j is reported with its line', async (name, text, line) => {
    await expect(parseAs(name, text)).rejects.toMatchObject({
      code: 'code.lockfile_malformed',
      details: { line },
    });
  });

  it('pom.xml leaves declared entities as they are', async () => {
    const text =
      '<!DOCTYPE project [<!ENTITY v "1.0">]>\n<project><dependencies><dependency><groupId>g</groupId>' +
      '<artifactId>a</artifactId><version>&v;</version></dependency></dependencies></project>';
    expect(await packagesOf('pom.xml', text)).toEqual(['g:a@&v;:2']);
  });

  it('a property that grows without end stops growing', async () => {
    const properties = Array.from(
      { length: 30 },
      (_, i) => `<p${i}>${`\${p${i + 1}}`.repeat(10)}</p${i}>`,
    );
    const text = `<project><properties>${properties.join('')}</properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${p0}</version></dependency></dependencies></project>`;
    expect((await parseAs('pom.xml', text)).packages).toEqual([]);
  });
});
