/** The functions and modules bandit warns about, by our rule; `*` at the end stands for anything. */

const crypto = (tail: readonly string[]): string[] =>
  tail.flatMap((name) => [`Crypto.${name}`, `Cryptodome.${name}`]);

const hazmat = 'cryptography.hazmat.primitives';

const withModules = (modules: readonly string[], names: readonly string[]): string[] =>
  modules.flatMap((module) => names.map((name) => `${module}.${name}`));

/** In bandit's order: the first entry that fits a call is the one reported. */
export const bannedCalls: ReadonlyMap<string, readonly string[]> = new Map([
  ['S301', withModules(['pickle', 'cPickle', 'dill'], ['loads', 'load', 'Unpickler'])],
  ['S302', ['marshal.load', 'marshal.loads']],
  [
    'S303',
    [
      'hashlib.md5',
      'hashlib.sha1',
      ...crypto(['Hash.MD2.new', 'Hash.MD4.new', 'Hash.MD5.new', 'Hash.SHA.new']),
      `${hazmat}.hashes.MD5`,
      `${hazmat}.hashes.SHA1`,
    ],
  ],
  [
    'S304',
    [
      ...crypto(['ARC2', 'ARC4', 'Blowfish', 'DES', 'XOR'].map((name) => `Cipher.${name}.new`)),
      ...['ARC4', 'Blowfish', 'IDEA'].map((name) => `${hazmat}.ciphers.algorithms.${name}`),
    ],
  ],
  ['S305', [`${hazmat}.ciphers.modes.ECB`]],
  ['S306', ['tempfile.mktemp']],
  ['S307', ['eval']],
  ['S308', ['django.utils.safestring.mark_safe']],
  [
    'S309',
    ['httplib', 'http.client', 'six.moves.http_client'].map((name) => `${name}.HTTPSConnection`),
  ],
  [
    'S310',
    [
      ...withModules(
        ['urllib', 'urllib.request', 'six.moves.urllib.request'],
        ['urlopen', 'urlretrieve', 'URLopener', 'FancyURLopener'],
      ),
      'urllib2.urlopen',
      'urllib2.Request',
    ],
  ],
  [
    'S311',
    ['random', 'randrange', 'randint', 'choice', 'uniform', 'triangular'].map(
      (name) => `random.${name}`,
    ),
  ],
  ['S312', ['telnetlib.*']],
  [
    'S313',
    withModules(['xml.etree.cElementTree'], ['parse', 'iterparse', 'fromstring', 'XMLParser']),
  ],
  [
    'S314',
    withModules(['xml.etree.ElementTree'], ['parse', 'iterparse', 'fromstring', 'XMLParser']),
  ],
  ['S315', ['xml.sax.expatreader.create_parser']],
  ['S316', ['xml.dom.expatbuilder.parse', 'xml.dom.expatbuilder.parseString']],
  ['S317', ['xml.sax.parse', 'xml.sax.parseString', 'xml.sax.make_parser']],
  ['S318', ['xml.dom.minidom.parse', 'xml.dom.minidom.parseString']],
  ['S319', ['xml.dom.pulldom.parse', 'xml.dom.pulldom.parseString']],
  [
    'S320',
    [
      'parse',
      'fromstring',
      'RestrictedElement',
      'GlobalParserTLS',
      'getDefaultParser',
      'check_docinfo',
    ].map((name) => `lxml.etree.${name}`),
  ],
  ['S321', ['ftplib.*']],
  ['S322', ['input']],
  ['S323', ['ssl._create_unverified_context']],
  ['S325', ['os.tempnam', 'os.tmpnam']],
]);

export const bannedImports: ReadonlyMap<string, readonly string[]> = new Map([
  ['S401', ['telnetlib']],
  ['S402', ['ftplib']],
  ['S403', ['pickle', 'cPickle', 'dill']],
  ['S404', ['subprocess']],
  ['S405', ['xml.etree.cElementTree', 'xml.etree.ElementTree']],
  ['S406', ['xml.sax']],
  ['S407', ['xml.dom.expatbuilder']],
  ['S408', ['xml.dom.minidom']],
  ['S409', ['xml.dom.pulldom']],
  ['S410', ['lxml']],
  ['S411', ['xmlrpclib']],
  [
    'S412',
    [
      'wsgiref.handlers.CGIHandler',
      'twisted.web.twcgi.CGIScript',
      'twisted.web.twcgi.CGIDirectory',
    ],
  ],
  [
    'S413',
    ['Cipher', 'Hash', 'IO', 'Protocol', 'PublicKey', 'Random', 'Signature', 'Util'].map(
      (name) => `Crypto.${name}`,
    ),
  ],
]);

/** Functions that start a process: by a list, through a shell, and replacing or spawning without one. */
export const subprocessCalls: ReadonlySet<string> = new Set(
  ['Popen', 'call', 'check_call', 'check_output', 'run'].map((name) => `subprocess.${name}`),
);

export const shellCalls: ReadonlySet<string> = new Set([
  ...['system', 'popen', 'popen2', 'popen3', 'popen4'].map((name) => `os.${name}`),
  ...['popen2', 'popen3', 'popen4', 'Popen3', 'Popen4'].map((name) => `popen2.${name}`),
  'commands.getoutput',
  'commands.getstatusoutput',
]);

export const spawnCalls: ReadonlySet<string> = new Set([
  ...['l', 'le', 'lp', 'lpe', 'v', 've', 'vp', 'vpe'].flatMap((ending) => [
    `os.exec${ending}`,
    `os.spawn${ending}`,
  ]),
  'os.startfile',
]);

export const brokenProtocols: ReadonlySet<string> = new Set([
  'PROTOCOL_SSLv2',
  'SSLv2_METHOD',
  'SSLv23_METHOD',
  'PROTOCOL_SSLv3',
  'PROTOCOL_TLSv1',
  'SSLv3_METHOD',
  'TLSv1_METHOD',
]);
