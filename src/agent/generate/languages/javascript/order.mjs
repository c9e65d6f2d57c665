const all = [];
let prepare = [];
export const test = (name, ...rest) => {
  const [before, work] = [prepare, rest.at(-1)];
  all.push({
    name,
    work: async () => {
      for (const one of before) await one();
      await work();
    },
  });
};
export const it = test;
export const beforeEach = (work) => {
  prepare = [...prepare, work];
};
export const describe = (_name, ...rest) => {
  const outer = prepare;
  rest.at(-1)();
  prepare = outer;
};
export const failures = async () => {
  const names = [];
  for (const { name, work } of all) await work().catch(() => names.push(name));
  return names;
};
