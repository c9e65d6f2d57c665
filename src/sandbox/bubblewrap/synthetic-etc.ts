/** A file of the system folder that says as little of this machine as programs can do with. */
export interface SyntheticFile {
  readonly path: string;
  readonly text: string;
}

/** The user inside; nobody of this machine. */
export const insideId = 1000;

export const hostName = 'sandbox';

export const syntheticEtc: readonly SyntheticFile[] = [
  {
    path: '/etc/passwd',
    text: `root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:${insideId}:${insideId}::/work:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n`,
  },
  {
    path: '/etc/group',
    text: `root:x:0:\nsandbox:x:${insideId}:\nnogroup:x:65534:\n`,
  },
  {
    path: '/etc/hosts',
    text: `127.0.0.1 localhost ${hostName}\n::1 localhost ${hostName}\n`,
  },
  {
    path: '/etc/nsswitch.conf',
    text: 'passwd: files\ngroup: files\nhosts: files\n',
  },
];
