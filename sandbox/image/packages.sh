#!/bin/sh
# From the wheelhouse alone where one was handed in. Compiled here: nothing can be written where they are used.
set -eu
[ -s /build/trust/ca.pem ] && export PIP_CERT=/build/trust/ca.pem
python=/build/venv/bin/python
set -- --disable-pip-version-check --no-cache-dir --no-compile --quiet
if ls /build/wheels/*.whl >/dev/null 2>&1; then
    set -- "$@" --no-index --find-links /build/wheels
fi
$python -m pip install "$@" -r /build/requirements.txt -c /build/constraints.txt
place=$($python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
$python -m compileall -qq -j 0 -x '/tests?/' --invalidation-mode unchecked-hash -s "$place" -p /packages "$place" || true
