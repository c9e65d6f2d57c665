# files larger than the disk, by programs of the system
# expect: held
[ "$HOSTILE_OK" = 1 ] || { echo "refusing: run me only inside a sandbox driver (HOSTILE_OK=1)"; exit 1; }
ulimit -f unlimited 2>/dev/null && echo raised
truncate -s 1T /work/a
dd if=/dev/zero of=/work/b bs=1 count=1 seek=1T 2>/dev/null
fallocate -l 1G /tmp/c 2>/dev/null
cp --sparse=always /usr/bin/env /work/d; truncate -s +9M /work/d
if [ -n "$(find /work /tmp -type f -size +8192k)" ]; then echo "VERDICT: ESCAPED"; else echo "VERDICT: HELD"; fi
