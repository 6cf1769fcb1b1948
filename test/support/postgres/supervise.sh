#!/bin/sh
# Runs a PostgreSQL server until the process at the other end of standard input ends, however it ends:
# supervise.sh LOG DIR COMMAND... prints the server's process id. At the end of standard input it stops the server and,
# unless DIR is empty, removes DIR. After a line it only waits for the server's end. The server's processes keep standard output
# open, so its end shows that the last of them has exited.
log=$1 dir=$2
shift 2

"$@" 2>>"$log" &
server=$!
echo "$server"
exec >/dev/null
if read -r _; then
  wait "$server"
  exit 0
fi
# A server that has exited is not reaped before `wait`, so its process id is not in use again.
kill -QUIT "$server"
wait "$server"
[ -z "$dir" ] || rm -rf "$dir"
