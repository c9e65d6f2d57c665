import { describe, expect, it } from 'vitest';
import { defaultLimits, hardCeilings, leastLimits, limitNames, settleLimits } from './limits.ts';

const machine = { processors: 4, memoryBytes: 4 * 1024 ** 3 };
const ceilings = hardCeilings(machine);

describe('limits', () => {
  it('are the defaults where a run leaves them open', () => {
    expect(settleLimits({}, { ceilings })).toEqual(defaultLimits);
    expect(settleLimits({ pids: 9 }, { ceilings })).toEqual({ ...defaultLimits, pids: 9 });
    const defaults = { ...defaultLimits, wallMs: 77 };
    expect(settleLimits({ pids: 9 }, { defaults, ceilings }).wallMs).toBe(77);
  });

  it('may be as high as the ceiling and as low as the least', () => {
    expect(settleLimits(ceilings, { ceilings })).toEqual(ceilings);
    expect(settleLimits(leastLimits, { ceilings })).toEqual(leastLimits);
  });

  it('never exceed the machine', () => {
    expect(ceilings.cpus).toBe(4);
    expect(ceilings.memoryBytes).toBe(3 * 1024 ** 3);
    const large = hardCeilings({ processors: 2, memoryBytes: 1024 ** 4 });
    expect(large.memoryBytes).toBe(8 * 1024 ** 3);
  });

  it.each(limitNames)('above the ceiling are an error that names them, never cut: %s', (limit) => {
    const wanted = ceilings[limit] + 1;
    let error: unknown;
    try {
      settleLimits({ [limit]: wanted }, { ceilings });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      code: 'sandbox.invalid_run',
      details: { limit, wanted, ceiling: ceilings[limit] },
    });
    expect(String(error)).toContain(`the limit ${limit} is ${wanted}`);
  });

  it.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY])(
    'that are no amount are refused: %s',
    (pids) => {
      expect(() => settleLimits({ pids }, { ceilings })).toThrow('the limit pids is');
      expect(settleLimits({ cpus: 1.5 }, { ceilings }).cpus).toBe(1.5);
    },
  );
});
