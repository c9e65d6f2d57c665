import type { SyscallTable } from './syscall.ts';

/**
 * System calls refused with EPERM: they open namespaces and mounts, look into other processes, or are
 * parts of the kernel that many break-outs went through. `sync` and `syncfs` would write back the
 * host's file systems; `io_setup` takes from a number that the whole host shares. What no table names
 * is answered with ENOSYS.
 */
export const refusedSyscalls: SyscallTable = {
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  statmount: [457, 457],
  listmount: [458, 458],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_setup: [206, 0],
  io_destroy: [207, 1],
  io_getevents: [208, 4],
  io_submit: [209, 2],
  io_cancel: [210, 3],
  io_pgetevents: [333, 292],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  syslog: [103, 116],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  memfd_secret: [447, 447],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  lookup_dcookie: [212, 18],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  nfsservctl: [180, 42],
  sync: [162, 81],
  syncfs: [306, 267],
};

/**
 * Answered with ENOSYS, so that programs fall back to older calls: the flags of `clone3` lie in memory,
 * where a filter cannot read them, and inotify shows what happens in folders shared with the host.
 */
export const absentSyscalls: SyscallTable = {
  clone3: [435, 435],
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  inotify_add_watch: [254, 27],
  inotify_rm_watch: [255, 28],
};

/**
 * Make memory that belongs to no process and lies in no folder. Hidden where no cgroup counts memory: a
 * supervisor that adds up processes and folders would miss it.
 */
export const uncountedMemorySyscalls: SyscallTable = {
  memfd_create: [319, 279],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  vmsplice: [278, 75],
};
