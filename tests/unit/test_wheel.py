"""The wheel holds every file the code reads: an ordinary install must work, not only the editable one of `make`."""

import subprocess
import sys
import zipfile


def test_the_wheel_holds_code_and_data(request, tmp_path):
    root = request.config.rootpath
    source = tmp_path / "source"
    listed = (
        subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
    )
    for name in filter(None, listed):
        if (root / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((root / name).read_bytes())
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, tmp_path], cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"pathgraph/{name.removeprefix('src/pathgraph/')}" for name in listed if name.startswith("src/pathgraph/")
    }
    wanted |= {f"pathgraph/{name}" for name in listed if name.startswith(("flows/", "tasks/"))}
    wanted |= {"pathgraph/data/settings.example.yaml", "pathgraph/data/prices.yaml"}
    assert wanted - held == set()
    assert not any(name.startswith(("flows", "tasks", "src", "tests")) for name in held)
