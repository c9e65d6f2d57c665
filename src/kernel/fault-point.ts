/** Passed at a place where a process may die; does nothing but in tests of that death. */
export type FaultPoint = (name: string) => void;

/** The default: no fault is planted. */
export const noFaults: FaultPoint = () => {};

/**
 * `NAME:COUNT` kills this process, at once and without a last word, when it passes the fault point
 * NAME for the COUNTth time (the first when no count is given). Undefined or empty: nothing ever does.
 */
export function createFaultPoints(text: string | undefined): FaultPoint {
  if (text === undefined || text === '') return noFaults;
  const separator = text.lastIndexOf(':');
  const wanted = separator === -1 ? text : text.slice(0, separator);
  let left = separator === -1 ? 1 : Number(text.slice(separator + 1));
  return (name) => {
    if (name !== wanted) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
