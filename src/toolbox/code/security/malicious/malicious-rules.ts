import type { Language } from '../../language.ts';
import type { SecurityRule } from '../security-rule.ts';

/**
 * Code that means harm rather than code that is careless. A rule holds when each of `all` occurs in
 * the text; it is reported where the first of them does. Every pattern runs in linear time.
 */
export interface MaliciousRule extends SecurityRule {
  readonly languages: readonly Language[];
  readonly all: readonly RegExp[];
}

const scripts = ['javascript', 'typescript'] as const;
const both = ['python', ...scripts] as const;

type Row = readonly [
  name: string,
  title: string,
  languages: readonly Language[],
  cwe: number,
  message: string,
  all: readonly RegExp[],
];

const base64 = /b64decode|base64\.decode|a85decode|b85decode|b32decode|unhexlify|bytes\.fromhex/;
const browserFiles =
  /Login Data|Local State|cookies\.sqlite|logins\.json|key4\.db|Local Extension Settings|Web Data/;
const walletFiles =
  /wallet\.dat|nkbihfbeogaeaoehlefnkodbefgpgknn|Exodus[\\/]+exodus\.wallet|\.electrum|Ledger Live|atomic[\\/]+Local Storage/;
const credentialFiles =
  /\.ssh\/(?:id_rsa|id_ed25519|id_dsa|id_ecdsa)|\.aws\/credentials|\.kube\/config|\.docker\/config\.json|\.git-credentials|\.netrc|\.npmrc|\.pypirc/;
const sends =
  /requests\.(?:post|put)|urllib\.request|http\.client|httpx\.(?:post|put)|aiohttp|\.sendall\(|fetch\(|axios|https?\.request|XMLHttpRequest|sendBeacon|\.sendDocument|node-fetch/;
const pythonRuns = /\b(?:exec|eval|compile)\(/;

const rows: readonly Row[] = [
  [
    'reverse-shell',
    'Reverse shell',
    ['python'],
    506,
    'A shell is connected to a network socket.',
    [
      /\.connect\(|create_connection\(/,
      /os\.dup2\(|pty\.spawn\(|subprocess\.(?:call|run|Popen)\([^\n]{0,40}\/bin\/(?:ba|z)?sh/,
      /\bsocket\b/,
    ],
  ],
  [
    'reverse-shell',
    'Reverse shell',
    scripts,
    506,
    'A shell is connected to a network socket.',
    [
      /\.pipe\([^\n]{0,40}\.stdin|\.stdout\.pipe\(/,
      /spawn\(\s{0,10}["'`](?:\/bin\/)?(?:ba|z)?sh\b|spawn\(\s{0,10}["'`](?:cmd|powershell)/,
      /\bnet\b|\btls\b|WebSocket/,
    ],
  ],
  [
    'shell-line-backdoor',
    'Backdoor by shell line',
    both,
    506,
    'A shell line opens a connection and gives it a shell.',
    [
      /\/dev\/tcp\/[\w.$@{}-]{1,80}\/|\bn(?:c|cat)\b[^\n]{0,40} -[a-z]{0,5}e[a-z]{0,5} {1,4}(?:\/bin\/)?(?:ba)?sh|mkfifo [^\n]{1,60}\| ?(?:\/bin\/)?(?:ba)?sh/,
    ],
  ],
  [
    'bind-shell',
    'Bind shell',
    ['python'],
    506,
    'What arrives on a listening socket is run as a command.',
    [
      /\.listen\(/,
      /\.accept\(/,
      /(?:os\.system|os\.popen|subprocess\.(?:run|call|Popen|check_output|getoutput))\([^\n]{0,60}(?:recv|data|cmd|command)\b/,
    ],
  ],
  [
    'hidden-code',
    'Hidden code',
    ['python'],
    506,
    'Code is decoded from unreadable text and run.',
    [
      /\b(?:exec|eval)\(\s{0,10}(?:compile\(\s{0,10})?(?:__import__\(|base64|codecs|zlib|marshal|bytes|lzma|bz2|binascii|b64decode|b16decode|b32decode|b85decode|getattr\(__builtins__)/,
    ],
  ],
  [
    'hidden-code',
    'Hidden code',
    scripts,
    506,
    'Code is decoded from unreadable text and run.',
    [
      /(?:\beval|\bFunction)\(\s{0,10}(?:atob|unescape|decodeURIComponent|String\.fromCharCode|Buffer\.from)\(/,
    ],
  ],
  [
    'decoded-and-run',
    'Decoded and run',
    ['python'],
    506,
    'Packed data is unpacked and run as code.',
    [/\b(?:zlib|lzma|bz2)\.decompress\(|marshal\.loads\(/, base64, pythonRuns],
  ],
  [
    'packed-script',
    'Packed script',
    scripts,
    506,
    'The script is packed so that nobody can read it.',
    [
      /eval\(function\(p,a,c,k,e,[dr]\)|\[\]\[\(!\[\]\+\[\]\)|\b_0x[a-f0-9]{4,6}\s{0,5}=\s{0,5}(?:function\b|\[\s{0,5}["'])|\bfunction _0x[a-f0-9]{4,6}\(/,
    ],
  ],
  [
    'download-and-run',
    'Download and run',
    both,
    494,
    'Text from the network goes straight into a shell.',
    [
      /(?:curl|wget)\b[^\n"'`]{0,200}\|\s{0,4}(?:sudo {1,4})?(?:\/bin\/)?(?:ba|z|da)?sh\b|(?:curl|wget)\b[^\n"'`]{0,200}\|\s{0,4}(?:python|node|perl)|iex\s{0,4}\(?\s{0,4}(?:\(?new-object|iwr|irm|invoke-webrequest)/i,
    ],
  ],
  [
    'downloaded-code',
    'Downloaded code',
    ['python'],
    494,
    'Text from the network is run as Python.',
    [/\b(?:exec|eval)\(\s{0,10}(?:requests\.get|urllib\.request\.urlopen|urlopen|httpx\.get)\(/],
  ],
  [
    'downloaded-code',
    'Downloaded code',
    scripts,
    494,
    'Text from the network is run as a script.',
    [/\.then\(\s{0,10}eval\s{0,10}\)|\beval\(\s{0,10}await\s|new Function\(\s{0,10}await\s/],
  ],
  [
    'powershell-hidden',
    'Hidden PowerShell',
    both,
    506,
    'PowerShell is started hidden or with an encoded command.',
    [
      /powershell(?:\.exe)?\b[^\n]{0,120}-(?:enc(?:odedcommand)?|e|ec|w(?:indowstyle)?\s{1,4}hidden)\b/i,
    ],
  ],
  [
    'crypto-miner',
    'Crypto miner',
    both,
    506,
    'The code talks to a mining pool or starts a miner.',
    [
      /stratum\+(?:tcp|ssl):\/\/|\bxmrig\b|\bcoinhive\b|coin-hive|minexmr|nanopool\.org|supportxmr|cryptonight|--donate-level|minergate|\bCoinImp\b/i,
    ],
  ],
  [
    'credential-theft',
    'Credential theft',
    both,
    522,
    'Credentials of the user are read and sent away.',
    [credentialFiles, sends],
  ],
  [
    'browser-theft',
    'Browser data theft',
    both,
    522,
    'Stored passwords or cookies of a browser are read and sent away.',
    [browserFiles, sends],
  ],
  [
    'wallet-theft',
    'Wallet theft',
    both,
    522,
    'Wallets of crypto currencies are read and sent away.',
    [walletFiles, sends],
  ],
  [
    'environment-theft',
    'Environment exfiltration',
    ['python'],
    200,
    'The whole environment, with its secrets, is sent away.',
    [
      /(?:requests\.(?:post|put)|httpx\.(?:post|put)|urlopen)\([^)]{0,200}(?:dict\()?os\.environ(?!\.get|\[)/,
    ],
  ],
  [
    'environment-theft',
    'Environment exfiltration',
    scripts,
    200,
    'The whole environment, with its secrets, is sent away.',
    [/JSON\.stringify\(\s{0,10}(?:\{\s{0,10}\.\.\.)?process\.env\s{0,10}[,})]/, sends],
  ],
  [
    'chat-exfiltration',
    'Exfiltration over a chat service',
    both,
    200,
    'Files or data of the machine go to a chat service.',
    [
      /api\.telegram\.org\/bot|discord(?:app)?\.com\/api\/webhooks|webhook\.site|requestbin|pipedream\.net|burpcollaborator|\.oastify\.com|interact\.sh|ngrok\.io/,
      /os\.environ|getpass\.getuser|platform\.node|socket\.gethostname|os\.hostname\(|os\.userInfo\(|process\.env\b|hostname\(|ImageGrab|screenshot/,
    ],
  ],
  [
    'keylogger',
    'Keylogger',
    both,
    506,
    'Keys pressed on the whole machine are recorded.',
    [
      /pynput[\s\S]{0,40}keyboard|keyboard\.on_press|SetWindowsHookEx|iohook|node-global-key-listener|GetAsyncKeyState/,
      /\.write\(|send|post|log/i,
    ],
  ],
  [
    'install-hook',
    'Code in an install hook',
    ['python'],
    506,
    'Installing the package runs commands or talks to the network.',
    [
      /cmdclass\s{0,5}=/,
      /class \w{1,80}\((?:install|develop|egg_info|build_py|_install|bdist_egg)\)/,
      /os\.system|subprocess\.|urlopen|requests\.|socket\.|\bexec\(|os\.popen/,
    ],
  ],
  [
    'install-hook',
    'Code in an install hook',
    scripts,
    506,
    'Installing the package downloads and runs something.',
    [
      /npm_lifecycle_event|npm_package_name|npm_config_/,
      /child_process|execSync|spawnSync/,
      /https?\.get|https?\.request|fetch\(|curl|wget/,
    ],
  ],
  [
    'persistence',
    'Start-up persistence',
    both,
    506,
    'The code makes itself start with the machine.',
    [
      /CurrentVersion\\{1,4}Run\b|crontab -|\/etc\/cron\.|LaunchAgents\/|\/etc\/rc\.local|systemctl enable|schtasks[^\n]{0,60}\/create|Start Menu\\{1,4}Programs\\{1,4}Startup|\.bashrc["'][^\n]{0,20}["']a/i,
      /sys\.argv\[0\]|__file__|sys\.executable|process\.argv|__filename|process\.execPath|shutil\.copy|copyFile/,
    ],
  ],
  [
    'mass-destruction',
    'Destruction of files',
    both,
    506,
    'The root or home folder is deleted.',
    [
      /rm -[a-z]{0,4}r[a-z]{0,4} (?:--no-preserve-root )?(?:\/|~|\$HOME)(?:["'`\s*;]|$)|shutil\.rmtree\(\s{0,5}(?:["']\/["']|os\.path\.expanduser\(["']~["']\)|Path\.home\(\))|rm(?:Sync)?\(\s{0,5}(?:["'`]\/["'`]|os\.homedir\(\))|format c:|dd if=\/dev\/(?:zero|urandom) of=\/dev\/[sn]/im,
    ],
  ],
  [
    'fork-bomb',
    'Fork bomb',
    ['python'],
    400,
    'Processes are started without end.',
    [/while\s{1,4}(?:True|1)\s{0,4}:\s{1,40}os\.fork\(\)|:\(\)\s?\{\s?:\|:&\s?\};:/],
  ],
  [
    'ransomware',
    'Ransomware',
    both,
    506,
    'Files of the user are encrypted and the originals removed.',
    [
      /os\.walk\(|readdirSync\(|\.rglob\(|glob\.glob\(/,
      /Fernet\(|AES\.new\(|createCipheriv\(/,
      /os\.remove\(|os\.unlink\(|unlinkSync\(|os\.rename\(|\.unlink\(\)|renameSync\(/,
      /ransom|bitcoin|\bbtc\b|decrypt(?:ed|ion)? (?:key|your|files)|\.locked|\.encrypted/i,
    ],
  ],
  [
    'anti-analysis',
    'Evasion of analysis',
    both,
    506,
    'The code looks for virtual machines or debuggers before it acts.',
    [
      /VBoxService|vmtoolsd|VBoxGuest|SbieDll|IsDebuggerPresent|wireshark\.exe|procmon|HARDWARE\\{1,4}ACPI\\{1,4}DSDT\\{1,4}VBOX/,
      /exit\(|taskkill|\.kill\(|return/,
    ],
  ],
  [
    'security-tools-off',
    'Security tools switched off',
    both,
    506,
    'The code switches off protection of the machine.',
    [
      /Set-MpPreference|DisableRealtimeMonitoring|netsh (?:adv)?firewall[^\n]{0,40}off|setenforce 0|ufw disable|iptables -F|csrutil disable|vssadmin[^\n]{0,20}delete shadows/i,
    ],
  ],
  [
    'metadata-service',
    'Cloud credentials of the machine',
    both,
    918,
    'The code asks the cloud machine for its own credentials.',
    [
      /169\.254\.169\.254\/latest\/(?:meta-data\/iam|api\/token)|metadata\.google\.internal\/computeMetadata[^\n]{0,80}token|169\.254\.169\.254\/metadata\/identity/,
    ],
  ],
];

export const maliciousRules: readonly MaliciousRule[] = rows.map(
  ([name, title, languages, cwe, message, all]) => ({
    id: `malicious/${name}`,
    title,
    severity: 'critical',
    cwe: `CWE-${cwe}`,
    message,
    fix: 'Do not run this. Find out where it came from, and remove it.',
    confidence: 'medium',
    languages,
    all,
  }),
);
