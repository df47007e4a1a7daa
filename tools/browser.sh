#!/usr/bin/env bash
# See to it that there is a headless Chromium for the tests of pages.
#
#   tools/browser.sh          installs one where that is possible, else says that there is none
#   tools/browser.sh find     prints the one that is taken; fails where there is none
#
# Without one those tests are skipped, except where CI is set: there it is an error.
set -euo pipefail

find_browser() {
    local name
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        command -v "$name" && return
    done
    return 1
}

# Only Debian itself has the small package: under other names Chromium comes with a desktop, or as
# a stub that fetches it from elsewhere.
install_browser() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update &&
        apt-get -qq install --no-install-recommends chromium-headless-shell; } >/dev/null
}

case "${1:-}" in
    find) find_browser ;;
    "")
        find_browser >/dev/null && exit
        install_browser && find_browser >/dev/null && exit
        echo "no headless Chromium on PATH, and none could be installed: pages are not tested" >&2
        [ -z "${CI:-}" ] || exit 3
        ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 3 ;;
esac
