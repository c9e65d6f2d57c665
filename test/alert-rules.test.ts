import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import definitions from '../src/observe/metrics/definitions.json' with { type: 'json' };

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}

const rulesFile = 'deploy/alerts/tutti.rules.yaml';
const { groups } = parse(readFileSync(rulesFile, 'utf8')) as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const unitTests = readFileSync('deploy/alerts/tutti.rules.test.yaml', 'utf8');
const runbook = readFileSync('docs/runbook.md', 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

function unknownMetrics(text: string): readonly string[] {
  const named = text.match(/\btutti_[a-z_]+/g) ?? [];
  return named.filter((name) => {
    const metric = name.replace(/_(bucket|sum|count)$/, '');
    return !Object.hasOwn(definitions, name) && !Object.hasOwn(definitions, metric);
  });
}

describe('the alert rules', () => {
  it('are at least 20, each with a section of the runbook and a unit test that fires and clears', () => {
    expect(rules.length).toBeGreaterThanOrEqual(20);
    for (const { alert, annotations } of rules) {
      expect(runbook).toContain(`\n## ${alert}\n`);
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(unitTests).toContain(`name: ${alert} fires and clears`);
    }
    expect(runbook.match(/^## /gm)).toHaveLength(rules.length);
  });

  it('and the dashboards name only metrics that exist', () => {
    expect(unknownMetrics('rate(tutti_no_such_thing[5m])')).toEqual(['tutti_no_such_thing']);
    expect(rules.flatMap(({ expr }) => unknownMetrics(expr))).toEqual([]);
    const files = readdirSync('deploy/grafana').filter((file) => file.endsWith('.json'));
    expect(files).toEqual(['agents.json', 'fleet.json', 'runs.json', 'security.json']);
    for (const file of files) {
      const { panels } = JSON.parse(readFileSync(`deploy/grafana/${file}`, 'utf8')) as {
        panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
      };
      expect(panels.length).toBeGreaterThan(2);
      const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      expect(queries.flatMap(unknownMetrics)).toEqual([]);
    }
  });

  it.skipIf(!hasPromtool)('pass promtool (skipped without the Debian package prometheus)', () => {
    const check = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' });
    expect(check.status, check.stderr).toBe(0);
    const ran = spawnSync('promtool', ['test', 'rules', 'tutti.rules.test.yaml'], {
      cwd: 'deploy/alerts',
      encoding: 'utf8',
    });
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  });
});
