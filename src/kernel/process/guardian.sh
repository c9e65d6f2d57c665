# Outlives its Tutti by a moment: kills what that Tutti started and could not stop itself.
#
#   sh guardian.sh MARK      reads `add GROUP`, `del GROUP` and `end` from its input, one per line
#
# The input ends when Tutti ends, in whatever way. Then every registered process group dies, every
# process below their leaders, and (Linux) every process whose environment holds MARK: those that left
# their group, and those started in the moment before their group was registered.

mark=$1
groups=
family=

# Seconds between sweeps, about 1.3 in all: what forks while it is being killed, or had not yet become
# the program it was started as, is found by a later sweep.
pauses='0.03 0.07 0.1 0.15 0.2 0.25 0.5'

# A terminal or a supervisor that ends everything at once must not end this first.
trap '' INT TERM HUP

forget() {
  kept=
  for group in $groups; do
    [ "$group" = "$1" ] || kept="$kept $group"
  done
  groups=$kept
}

# Lines `PARENT PROCESS`. Where there is /proc nothing is started for it: a machine in need of help
# may have no room for another process.
parents() {
  if [ -r /proc/self/stat ]; then
    for file in /proc/[0-9]*/stat; do
      line=
      read -r line <"$file" || continue
      rest=${line##*) }
      rest=${rest#* }
      echo "${rest%% *} ${line%% *}"
    done 2>/dev/null
  else
    ps -axo ppid=,pid= 2>/dev/null
  fi
}

# Sets `family` to everything below the leaders of the groups. Must come before the first kill, which
# gives the children of the dead another parent.
find_family() {
  family=
  level=$groups
  depth=0
  [ -n "$level" ] || return 0
  table=$(parents)
  while [ -n "$level" ] && [ $depth -lt 64 ]; do
    next=
    while read -r parent process; do
      case " $level " in
        *" $parent "*) next="$next $process" ;;
      esac
    done <<TABLE
$table
TABLE
    family="$family$next"
    level=$next
    depth=$((depth + 1))
  done
}

sweep() {
  for group in $groups; do kill -KILL "-$group"; done
  for process in $family; do kill -KILL "$process"; done
  [ -r /proc/self/environ ] || return 0
  for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
    process=${file#/proc/}
    kill -KILL "${process%/environ}"
  done
} 2>/dev/null

while read -r verb group; do
  case $verb in
    add) groups="$groups $group" ;;
    del) forget "$group" ;;
    end)
      sweep
      exit 0
      ;;
  esac
done

find_family
sweep
# Those of the first sweep are dead; their numbers may soon belong to others.
family=
for pause in $pauses; do
  sleep "$pause" 2>/dev/null || sleep 1
  sweep
done
