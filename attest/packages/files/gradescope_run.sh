#!/bin/sh
# Run by Gradescope, as root, for each submission. Attest writes results.json; where it cannot even start, this
# does, without a score. Student code runs only as users who may read nothing here.
umask 077
cd / || exit 1
for place in source submission results submission_metadata.json; do
    [ ! -e "/autograder/$place" ] || chmod -R go-rwx "/autograder/$place"
done
/opt/attest/bin/python -I -m attest.packages.at_gradescope && exit 0
echo "Attest could not be started: see what setup.sh printed, under Configure Autograder."
if [ ! -s /autograder/results/results.json ]; then
    mkdir -p /autograder/results
    cat >/autograder/results/results.json <<'END'
NOT_GRADED
END
fi
