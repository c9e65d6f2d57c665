/**
 * Loaded before the tests: another time, zone, host, user, environment, folder and seed. `WHAT` is replaced by the names of what
 * changes. Without imports, so that it can be loaded in both ways.
 */
{
  const what = 'WHAT'.split(' ');
  // The last day of a year: what counts years and months often breaks there.
  const laterMs = Date.UTC(new Date().getUTCFullYear() + 3, 11, 31, 12) - Date.now();
  const os = process.getBuiltinModule('node:os');
  if (what.includes('environment')) {
    // The locale of a process is read when it starts.
    const locale = 'tr-TR';
    const texts = {
      toLocaleString: [Number, BigInt, Date],
      toLocaleDateString: [Date],
      toLocaleTimeString: [Date],
    };
    for (const [name, types] of Object.entries(texts)) {
      for (const { prototype } of types) {
        const real = prototype[name];
        prototype[name] = function (locales = locale, options) {
          return real.call(this, locales, options);
        };
      }
    }
    const here = ([locales = locale, ...more]) => [locales, ...more];
    for (const name of ['NumberFormat', 'DateTimeFormat']) {
      Intl[name] = new Proxy(Intl[name], {
        construct: (real, given, target) => Reflect.construct(real, here(given), target),
        apply: (real, self, given) => Reflect.apply(real, self, here(given)),
      });
    }
    Object.assign(process.env, {
      LANG: 'tr_TR.UTF-8',
      EDITOR: 'ed',
      DEBUG: '1',
      PORT: '1',
      CI: '1',
      NODE_ENV: 'staging',
    });
  }
  if (what.includes('user')) {
    Object.assign(process.env, {
      USER: 'mallory',
      LOGNAME: 'mallory',
      USERNAME: 'mallory',
      HOME: '/tmp',
    });
    os.userInfo = () => ({
      username: 'mallory',
      uid: 4242,
      gid: 4242,
      shell: '/bin/ash',
      homedir: '/tmp',
    });
    os.homedir = () => '/tmp';
  }
  if (what.includes('host')) {
    process.env.HOSTNAME = 'elsewhere';
    os.hostname = () => 'elsewhere';
  }
  if (what.includes('zone')) process.env.TZ = 'Asia/Kathmandu';
  if (what.includes('folder')) process.chdir('/tmp');
  if (what.includes('seed')) {
    let state = 918273645;
    Math.random = () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state / 2147483648;
    };
  }
  if (what.includes('time')) {
    const RealDate = Date;
    globalThis.Date = class Date extends RealDate {
      constructor(...given) {
        if (given.length === 0) super(RealDate.now() + laterMs);
        else super(...given);
      }
      static now() {
        return RealDate.now() + laterMs;
      }
    };
  }
  process.getBuiltinModule('node:module').syncBuiltinESMExports();
}
