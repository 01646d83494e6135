# names.bash: names and addresses that the scripts of the testbed share (sourced, not run).
# The folder STATE and the namespaces' names exist only inside a testbed: they lie on a /run of its own.
# shellcheck shell=bash disable=SC2034
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MPICH_SOCK=${MPICH_SOCK:-/opt/mpich-sock}          # the blocking MPICH
BUILD=${TESTBED_BUILD:-${HERE%/*}/target/testbed}   # compiled programs
STATE=/run/testbed
SWITCHES=switches                                  # namespace; those of the hosts are h0, h1, ...

# Data network 10.78.0.0/16 (shaped), control network 10.77.0.0/16 (of mpiexec, not shaped).
CONTROL_IP=10.77.0.1
host_part() { echo "$(($1 / 200)).$(($1 % 200 + 10))"; }
host_mac() { printf '02:54:42:00:%02x:%02x' $(($1 / 256)) $(($1 % 256)); }   # the switch reads the host from it

fail() { echo "${0##*/}: $*" >&2; exit 2; }
in_testbed() { [ -f "$STATE/config" ] || fail "this is not inside a testbed; start it through testbed/with, whose --help shows how"; }
# The manual of a script: the comment at its head.
manual() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }
