#!/usr/bin/env bash
# See to it that there is Coq with ssreflect and Coquelicot, and build the proofs.
#
#   tools/coq.sh          installs Debian's packages where that is possible, and builds proofs/
#   tools/coq.sh find     prints the coqc that is taken; fails where it or a library is missing
#
# Without Coq the tests of the proofs are skipped, except where CI is set: there it is an error.
set -euo pipefail

PACKAGES=(coq libcoq-mathcomp-ssreflect libcoq-coquelicot)

find_coq() {
    local library
    command -v coqc >/dev/null || return 1
    for library in mathcomp/ssreflect Coquelicot; do
        [ -d "$(coqc -where)/user-contrib/$library" ] || return 1
    done
    command -v coqc
}

install_coq() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install --no-install-recommends "${PACKAGES[@]}"; } >/dev/null
}

case "${1:-}" in
    find) find_coq ;;
    "")
        if find_coq >/dev/null || { install_coq && find_coq >/dev/null; }; then
            exec make --no-print-directory -C "$(dirname "${BASH_SOURCE[0]}")/../proofs"
        fi
        echo "no Coq with ssreflect and Coquelicot, and none could be installed: proofs are not checked" >&2
        [ -z "${CI:-}" ] || exit 3
        ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 3 ;;
esac
