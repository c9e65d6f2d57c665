import { describe, expect, it } from 'vitest';
import { assessSeverity, baseScore, severityOfScore } from './scan-lockfiles.ts';

describe('the CVSS base score', () => {
  // Published examples of the specification's authors and of well-known CVEs.
  it.each([
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
    ['CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
    ['CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H', 7.8],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5],
    ['CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N', 7.4],
    ['CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 6.8],
    ['CVSS:3.1/AV:A/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', 6.5],
    ['CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:N', 3.8],
    ['CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:C/C:H/I:N/A:N', 5.6],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N/E:P/RL:O', 5.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', 9.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:L/VI:L/VA:N/SC:N/SI:N/SA:N', 5.3],
  ])('of %s is %d', (vector, score) => {
    expect(baseScore(vector)).toBe(score);
  });

  it.each([
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:Q/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:4.0/AV:N',
    'CVSS:2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P',
    '',
    `CVSS:3.1/${'AV:N/'.repeat(200)}`,
  ])('does not exist for %s', (vector) => {
    expect(baseScore(vector)).toBeUndefined();
  });
});

describe('a severity', () => {
  const record = { id: 'X-1', modified: '2024-01-01T00:00:00Z' };

  it('comes from the highest CVSS 3 score, in the bands of CVSS', () => {
    const severity = [
      { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N' },
      { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
    ];
    const label = { database_specific: { severity: 'LOW' } };
    const assessment = { severity: 'critical', source: 'cvss', score: 9.8 };
    expect(assessSeverity({ ...record, ...label, severity })).toEqual(assessment);
    expect([9, 8.9, 7, 6.9, 4, 3.9, 0].map(severityOfScore)).toEqual([
      'critical',
      'major',
      'major',
      'minor',
      'minor',
      'info',
      'info',
    ]);
  });

  it('else from a CVSS 4 vector, else from the label of the database', () => {
    const severity = [
      { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' },
    ];
    const labelled = { ...record, database_specific: { severity: 'MODERATE' } };
    expect(assessSeverity(labelled)).toEqual({ severity: 'minor', source: 'label' });
    expect(assessSeverity({ ...labelled, affected: [{ severity }] })).toEqual({
      severity: 'critical',
      source: 'cvss',
      score: 9.3,
    });
  });

  it('is assumed to be major when it is unrated', () => {
    expect(assessSeverity(record)).toEqual({ severity: 'major', source: 'assumed' });
  });
});
