/** Writes times as ISO 8601: each second is worked out once while others ask for the same. */
export function createIsoTime(): (ms: number) => string {
  let second: number | undefined;
  let beginning = '';
  return (ms) => {
    const whole = Math.trunc(ms);
    const at = Math.floor(whole / 1_000);
    if (at !== second) {
      // Without the milliseconds and the `Z`; throws what `Date` does for a time that is none.
      beginning = new Date(whole).toISOString().slice(0, -4);
      second = at;
    }
    return `${beginning}${String(whole - at * 1_000).padStart(3, '0')}Z`;
  };
}
