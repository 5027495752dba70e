#!/usr/bin/env bash
# Makes .venv-others with the two graders that the benchmark compares with: nbgrader and otter-grader.
# They get an environment of their own because their pins fight Attest's. torch and numpy are borrowed
# from .venv through a .pth file: the same wheels for everyone, and half a gigabyte saved.
set -euo pipefail
cd "$(dirname "$0")/.."
others=.venv-others
[ -x .venv/bin/python ] || { echo "benchmarks/others.sh: .venv not found; make Attest's environment first." >&2; exit 2; }
if [ ! -x "$others/bin/python" ]; then
    .venv/bin/python -m venv "$others"
    echo '*' > "$others/.gitignore"
fi
site=$("$others/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' > "$site/borrowed-torch.pth"
"$others/bin/pip" install --quiet --disable-pip-version-check -c constraints.txt \
    'nbgrader==0.9.*' 'otter-grader==7.0.*' ipykernel
"$others/bin/python" -c 'import nbgrader, otter, torch; print("nbgrader", nbgrader.__version__, "otter", otter.__version__, "torch", torch.__version__)'
