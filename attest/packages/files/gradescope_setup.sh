#!/usr/bin/env bash
# Run once by Gradescope, as root, while it builds the autograder's image.
set -euo pipefail
bash /autograder/source/install.sh
rm -rf /autograder/source/wheels
chmod -R go-rwx /autograder/source
