#!/bin/sh
# A base without Python, such as a bare Debian, gets its distribution's.
set -eu
if ! python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    if ! command -v apt-get >/dev/null; then
        echo "The base image has no Python 3.11 or newer and no apt-get to install it with; use another --base." >&2
        exit 1
    fi
    if [ -s /build/trust/ca.pem ]; then
        echo 'Acquire::https::CAInfo "/build/trust/ca.pem";' > /etc/apt/apt.conf.d/90attest
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv >/dev/null
fi
python3 -m venv /build/venv
