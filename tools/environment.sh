#!/usr/bin/env bash
# Make a virtual environment with this project in it, from nothing but Python.
#
#   tools/environment.sh interpreters "3.14 3.13"       working interpreters, best first
#   tools/environment.sh build DIR "3.14 3.13" EXTRAS [REQUIREMENT...]
#
# Interpreters are tried in the order of the versions; the first whose wheels all exist is kept.
# PYTHON=/path/to/python overrides the search.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# A version manager's shim lies on PATH and yet fails when run, so an interpreter counts only
# once it has run; `ensurepip` is what some systems split off into another package.
works() { # INTERPRETER VERSION
    "$1" -c "import ensurepip, sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$2')" \
        >/dev/null 2>&1
}

candidates() { # VERSION
    type -aP "python$1" python3 || true
    if command -v pyenv >/dev/null; then
        compgen -G "$(pyenv root)/versions/$1.*/bin/python$1" | sort -rV || true
    fi
}

interpreters() { # "VERSION..."
    if [ -n "${PYTHON:-}" ]; then
        command -v "$PYTHON" || { echo "PYTHON=$PYTHON cannot be run" >&2; return 3; }
        return
    fi
    local version candidate
    for version in $1; do
        while IFS= read -r candidate; do
            if works "$candidate" "$version"; then
                echo "$candidate"
                break
            fi
        done < <(candidates "$version")
    done
}

install() { # INTERPRETER DIR EXTRAS [REQUIREMENT...]
    local interpreter="$1" directory="$2" extras="$3"
    shift 3
    rm -rf "$directory"
    "$interpreter" -m venv "$directory" || return
    # Wheels only: building a missing one from source would take an hour or a compiler.
    "$directory/bin/python" -m pip install --quiet --quiet --disable-pip-version-check \
        --only-binary :all: --editable "$root${extras:+[$extras]}" "$@"
}

build() { # DIR "VERSION..." EXTRAS [REQUIREMENT...]
    local directory="$1" versions="$2" interpreter found
    shift 2
    found="$(interpreters "$versions")"
    for interpreter in $found; do
        echo "$directory: trying $("$interpreter" -V) ($interpreter)" >&2
        if install "$interpreter" "$directory" "$@"; then
            echo "$directory: ready with $("$directory/bin/python" -V)" >&2
            return
        fi
        echo "$directory: $("$interpreter" -V) does not do, see above" >&2
        rm -rf "$directory"
    done
    echo "$directory: no Python of $versions with all wheels. Interpreters that ran:" \
        "${found:-none}. Install one, or name one: make PYTHON=/path/to/python" >&2
    return 3
}

case "${1:-}" in
    interpreters | build) "$@" ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 3 ;;
esac
