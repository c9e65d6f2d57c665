import type { RuleEntry } from './lint-finding.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** Ruff rules a review of Python runs, by code or prefix. Security (S) is the scanner's. */
export const pythonSelection: readonly string[] = (
  'E W F B UP SIM C4 PIE RET N A ARG BLE PERF PLE PLW PLC PLR0402 PLR1711 PLR1714 PLR5501 ISC ASYNC DTZ ' +
  'D100 D101 D102 D103 ANN001 ANN201 RUF005 RUF006 RUF010 RUF015'
).split(' ');

/**
 * Left out: E501 is judged with the guide's line length by the same code, but PLC0415 (imports in
 * functions) and PLW2901 forbid what lazy loading and ordinary loops do on purpose.
 */
export const pythonIgnored: readonly string[] = ['PLC0415', 'PLW2901', 'PLW1514', 'D203', 'D213'];

/** Severity and area by the longest matching prefix of a Ruff code. */
export const pythonSeverities: Readonly<Record<string, RuleEntry>> = lookupTable({
  E: { severity: 'info', area: 'style' },
  E501: { severity: 'info', area: 'standards' },
  E711: { severity: 'minor', area: 'correctness' },
  E712: { severity: 'minor', area: 'style' },
  E713: { severity: 'minor', area: 'style' },
  E714: { severity: 'minor', area: 'style' },
  E721: { severity: 'minor', area: 'correctness' },
  E722: { severity: 'major', area: 'correctness' },
  E731: { severity: 'minor', area: 'style' },
  E741: { severity: 'minor', area: 'style' },
  E9: { severity: 'critical', area: 'correctness' },
  W: { severity: 'info', area: 'style' },
  W605: { severity: 'minor', area: 'correctness' },
  F: { severity: 'major', area: 'correctness' },
  F401: { severity: 'minor', area: 'maintainability' },
  F403: { severity: 'minor', area: 'maintainability' },
  F405: { severity: 'info', area: 'maintainability' },
  F541: { severity: 'info', area: 'style' },
  F811: { severity: 'minor', area: 'correctness' },
  F821: { severity: 'critical', area: 'correctness' },
  F841: { severity: 'minor', area: 'maintainability' },
  B: { severity: 'minor', area: 'correctness' },
  B006: { severity: 'major', area: 'correctness' },
  B008: { severity: 'major', area: 'correctness' },
  B012: { severity: 'major', area: 'correctness' },
  B023: { severity: 'major', area: 'correctness' },
  B904: { severity: 'minor', area: 'maintainability' },
  B905: { severity: 'info', area: 'correctness' },
  BLE: { severity: 'minor', area: 'correctness' },
  A: { severity: 'minor', area: 'maintainability' },
  ARG: { severity: 'info', area: 'maintainability' },
  ASYNC: { severity: 'major', area: 'performance' },
  C4: { severity: 'minor', area: 'performance' },
  DTZ: { severity: 'minor', area: 'correctness' },
  ISC: { severity: 'minor', area: 'correctness' },
  N: { severity: 'minor', area: 'standards' },
  PERF: { severity: 'minor', area: 'performance' },
  PIE: { severity: 'info', area: 'style' },
  PLC: { severity: 'info', area: 'style' },
  PLE: { severity: 'critical', area: 'correctness' },
  PLR: { severity: 'info', area: 'maintainability' },
  PLW: { severity: 'minor', area: 'correctness' },
  RET: { severity: 'info', area: 'style' },
  RUF: { severity: 'info', area: 'performance' },
  RUF006: { severity: 'major', area: 'correctness' },
  SIM: { severity: 'info', area: 'maintainability' },
  UP: { severity: 'info', area: 'style' },
  D: { severity: 'info', area: 'documentation' },
  ANN: { severity: 'info', area: 'standards' },
});

/**
 * Ruff rules whose fix keeps behaviour in every case. The binding does not say whether a fix is safe,
 * so the list is ours: rules Ruff documents as always safe, less those that only hold for one Python
 * version or that reorder imports.
 */
export const safePythonFixes: ReadonlySet<string> = new Set(
  (
    'W291 W292 W293 W605 E401 E703 E713 E714 F401 F541 UP004 UP009 UP011 UP012 UP015 UP018 UP034 UP039 ' +
    'PIE790 PIE808 RET501 PLR1711 B009 RUF010'
  ).split(' '),
);
