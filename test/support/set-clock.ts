/** Loaded before a program: its clock is set by `SET_CLOCK_BY_MS`, `SET_CLOCK_AFTER_MS` after its start. */
const byMs = Number(process.env['SET_CLOCK_BY_MS'] ?? 0);
const afterMs = Number(process.env['SET_CLOCK_AFTER_MS'] ?? 0);
const realNow = Date.now.bind(Date);
const startedAt = performance.now();

Date.now = () => realNow() + (performance.now() - startedAt >= afterMs ? byMs : 0);
