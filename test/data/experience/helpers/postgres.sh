# A PostgreSQL server of its own for one script; `pg SQL` runs SQL as its owner, `as_app` is psql.
data=$PWD/pg
chmod 755 "$PWD"
mkdir "$data" && chown 65534 "$data"
server() { setpriv --reuid 65534 --clear-groups "$@"; }
server initdb -D "$data" -U owner -A trust > /dev/null 2>&1
port=$((20000 + $$ % 20000))
server pg_ctl -D "$data" -w -l "$data/log" -o "-p $port -k $data -c listen_addresses=127.0.0.1 -c fsync=off" start > /dev/null
trap 'server pg_ctl -D "$data" -m immediate stop > /dev/null' EXIT
as_app() { PGDATABASE=${PGDATABASE:-postgres} PGUSER=${PGUSER:-owner} PGHOST=$data PGPORT=$port psql -v ON_ERROR_STOP=1 "$@"; }
pg() { as_app -c "$1"; }
hba() {
  printf 'local all owner trust\nhost all all 127.0.0.1/32 scram-sha-256\n' > "$data/pg_hba.conf"
  pg 'select pg_reload_conf()' > /dev/null
}
