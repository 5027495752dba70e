#!/usr/bin/env bash
# Installs Python, PyTorch and Attest into /opt/attest, as root, on Debian or Ubuntu. Beside it lie the wheel of
# Attest, requirements.txt and constraints.txt; index.txt where PyTorch has an index of its own; and a folder
# wheels, where all is to come from there and nothing from the network.
set -euo pipefail
umask 022
here=$(cd "$(dirname "$0")" && pwd)
export DEBIAN_FRONTEND=noninteractive

fits() {
    command -v "$1" >/dev/null && "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    local name
    for name in PYTHON python3 python3.13 python3.12 python3.11; do
        if fits "$name"; then
            echo "$name"
            return
        fi
    done
    return 1
}

get() {
    apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}

if ! python=$(find_python); then
    apt-get update -qq
    get python3 python3-venv || true
    find_python >/dev/null || get python3.12 python3.12-venv || get python3.11 python3.11-venv || true
    python=$(find_python) || {
        echo "Attest needs Python 3.11 or newer, and this system has none to install. Choose a newer one, such as Ubuntu 24.04." >&2
        exit 1
    }
fi
# With it submissions are kept further apart, where the place allows that; without it each is a user of its own.
command -v bwrap >/dev/null || { apt-get update -qq && get bubblewrap; } || echo "Without bubblewrap."

"$python" -m venv --clear /opt/attest
pip=(/opt/attest/bin/python -m pip --disable-pip-version-check --no-cache-dir --quiet install)
[ -d "$here/wheels" ] && pip+=(--no-index --find-links "$here/wheels")
[ -s "$here/index.txt" ] && pip+=(--extra-index-url "$(cat "$here/index.txt")")
"${pip[@]}" -r "$here/requirements.txt" -c "$here/constraints.txt"
"${pip[@]}" --no-deps "$here"/attest_grader-*.whl

# A submission is a user like any other: what grades it is for root alone.
packages=$(/opt/attest/bin/python -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
for name in graders reference; do
    [ ! -d "$packages/$name" ] || chmod -R go-rwx "$packages/$name"
done
/opt/attest/bin/python -I -c 'import torch, attest.packages.grading'
echo "Attest is installed in /opt/attest."
