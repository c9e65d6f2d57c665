import { z } from 'zod';
import tables from './syscalls.json' with { type: 'json' };

/** Processor architectures we have filters for, named as Node names them. */
export type Architecture = 'x64' | 'arm64';

/** A system call's numbers on [x64, arm64]; null where it does not exist. */
export type SyscallNumbers = readonly [x64: number | null, arm64: number | null];

export type SyscallTable = Readonly<Record<string, SyscallNumbers>>;

/**
 * A test of one argument's low 32 bits. Every argument tested here is an int to the kernel, which
 * drops the high half: a test of all 64 bits would be passed by a value with rubbish in that half.
 */
export interface ArgumentTest {
  readonly argument: 0 | 1 | 2 | 3 | 4 | 5;
  /** Bits that count; all 32 unless told. */
  readonly mask?: number;
  readonly is: 'one-of' | 'none-of';
  readonly values: readonly number[];
}

/** A system call that is allowed when all tests of any one case hold. */
export interface ConditionalSyscall {
  readonly name: string;
  readonly numbers: SyscallNumbers;
  readonly cases: readonly (readonly ArgumentTest[])[];
}

export function syscallNumber(numbers: SyscallNumbers, architecture: Architecture): number | null {
  return numbers[architecture === 'x64' ? 0 : 1];
}

const tableSchema = z.record(
  z.string(),
  z.tuple([z.int().nullable(), z.int().nullable()]).readonly(),
);

/**
 * The numbers are those of the kernel's asm/unistd_64.h and asm-generic/unistd.h. System calls that no
 * table names are answered with ENOSYS.
 */
const syscalls = z
  .strictObject({
    /** Reach nothing outside the sandbox, whatever their arguments. */
    allowed: tableSchema,
    /**
     * Refused with EPERM: they open namespaces and mounts, look into other processes, or are parts of the
     * kernel that many break-outs went through. `sync` and `syncfs` would write back the host's file
     * systems; `io_setup` takes from a number that the whole host shares.
     */
    refused: tableSchema,
    /**
     * Answered with ENOSYS, so that programs fall back to older calls: the flags of `clone3` lie in memory,
     * where a filter cannot read them, and inotify shows what happens in folders shared with the host.
     */
    absent: tableSchema,
    /**
     * Make memory that belongs to no process and lies in no folder. Hidden where no cgroup counts memory: a
     * supervisor that adds up processes and folders would miss it.
     */
    uncountedMemory: tableSchema,
  })
  .parse(tables);

export const {
  allowed: allowedSyscalls,
  refused: refusedSyscalls,
  absent: absentSyscalls,
  uncountedMemory: uncountedMemorySyscalls,
} = syscalls;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags = 0x7e02_0000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_SEQPACKET = 5;
/** The rest of the argument is flags such as SOCK_CLOEXEC. */
const socketTypeMask = 0xf;
const IPPROTO_DEFAULT = 0;
const IPPROTO_TCP = 6;
const IPPROTO_UDP = 17;

/** Type a character as if it came from the terminal; paste; change the line discipline. */
const terminalRequests = [0x5412, 0x541c, 0x5423];

/** PER_LINUX, PER_LINUX32, both with the UNAME26 flag, and the question which one is set. */
const harmlessPersonalities = [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];

const fileTypeMask = 0xf000;
/** None (a regular file), FIFO, regular, socket: everything but devices. */
const nodeTypes = [0, 0x1000, 0x8000, 0xc000];

const PR_SET_PDEATHSIG = 1;
const PR_SET_MM = 35;
const SIGKILL = 9;

const RLIMIT_CORE = 4;
/**
 * Leases and notifications reach files shared with the host. Locks of open file descriptions do, too, and
 * name no process that holds them, so that no supervisor could end it.
 */
const hostFileCommands = [1024, 1026, 37, 38];

const SOL_SOCKET = 1;
const SO_PASSPIDFD = 76;
const SO_PEERPIDFD = 77;

/** System calls that depend on their arguments; refused with EPERM where no case holds. */
export const conditionalSyscalls: readonly ConditionalSyscall[] = [
  {
    name: 'clone',
    numbers: [56, 220],
    cases: [[{ argument: 0, mask: namespaceFlags, is: 'one-of', values: [0] }]],
  },
  {
    name: 'socket',
    numbers: [41, 198],
    cases: [
      [
        { argument: 0, is: 'one-of', values: [AF_INET, AF_INET6] },
        {
          argument: 1,
          mask: socketTypeMask,
          is: 'one-of',
          values: [SOCK_STREAM, SOCK_DGRAM],
        },
        {
          argument: 2,
          is: 'one-of',
          values: [IPPROTO_DEFAULT, IPPROTO_TCP, IPPROTO_UDP],
        },
      ],
      [
        { argument: 0, is: 'one-of', values: [AF_UNIX] },
        {
          argument: 1,
          mask: socketTypeMask,
          is: 'one-of',
          values: [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET],
        },
      ],
      [
        { argument: 0, is: 'one-of', values: [AF_NETLINK] },
        { argument: 2, is: 'one-of', values: [NETLINK_ROUTE] },
      ],
    ],
  },
  {
    // Standard input and output are sockets: these would hand out a process of the host, us.
    name: 'getsockopt',
    numbers: [55, 209],
    cases: socketOptionsBut(SO_PEERPIDFD),
  },
  {
    name: 'setsockopt',
    numbers: [54, 208],
    cases: socketOptionsBut(SO_PASSPIDFD),
  },
  {
    // The first process of a sandbox runs as the same user, so a program can have it do its will; it
    // must neither outlive us nor change what its memory tells of it.
    name: 'prctl',
    numbers: [157, 167],
    cases: [
      [{ argument: 0, is: 'none-of', values: [PR_SET_PDEATHSIG, PR_SET_MM] }],
      [
        { argument: 0, is: 'one-of', values: [PR_SET_PDEATHSIG] },
        { argument: 1, is: 'one-of', values: [SIGKILL] },
      ],
    ],
  },
  {
    // The kernel hands a core to a program of the host whatever the limit is, unless it is 1 (bwrap-command.ts).
    name: 'setrlimit',
    numbers: [160, 164],
    cases: [[{ argument: 0, is: 'none-of', values: [RLIMIT_CORE] }]],
  },
  {
    // Reading it too: a filter cannot tell a null pointer from one whose low half is null.
    name: 'prlimit64',
    numbers: [302, 261],
    cases: [[{ argument: 1, is: 'none-of', values: [RLIMIT_CORE] }]],
  },
  {
    name: 'fcntl',
    numbers: [72, 25],
    cases: [[{ argument: 1, is: 'none-of', values: hostFileCommands }]],
  },
  {
    name: 'ioctl',
    numbers: [16, 29],
    cases: [[{ argument: 1, is: 'none-of', values: terminalRequests }]],
  },
  {
    name: 'personality',
    numbers: [135, 92],
    cases: [[{ argument: 0, is: 'one-of', values: harmlessPersonalities }]],
  },
  {
    name: 'mknod',
    numbers: [133, null],
    cases: [[{ argument: 1, mask: fileTypeMask, is: 'one-of', values: nodeTypes }]],
  },
  {
    name: 'mknodat',
    numbers: [259, 33],
    cases: [[{ argument: 2, mask: fileTypeMask, is: 'one-of', values: nodeTypes }]],
  },
];

/** The same number means something else for another kind of option. */
function socketOptionsBut(option: number): ConditionalSyscall['cases'] {
  return [
    [{ argument: 1, is: 'none-of', values: [SOL_SOCKET] }],
    [{ argument: 2, is: 'none-of', values: [option] }],
  ];
}
