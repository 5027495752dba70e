"""The reference is code for students: it needs PyTorch and nothing of Attest."""

import subprocess
import sys


def test_importing_the_reference_imports_nothing_of_attest():
    program = "import sys, reference; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "torch" in loaded.split()
    assert not {"attest", "graders", "reports", "sandbox", "assignments"} & set(loaded.split())
