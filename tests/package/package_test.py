#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The Debian packages build, please lintian, install, and pass the test they bring: package_test.py.

What the checkout has, committed or not, is copied and built. The packages are installed over this machine's files in a mount
namespace, where what is written goes into memory: the machine keeps nothing of it. ISOPLANE_PACKAGES=DIRECTORY keeps them.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "house"))

from tap import Skip, run, test  # noqa: E402

scratch = tempfile.TemporaryDirectory(prefix="isoplane-package.")
SOURCE = os.path.join(scratch.name, "isoplane")
# Over the root directory, then in it: the packages, and debian/tests/smoke.
INSTALL_AND_TRY = r"""
set -e
mount -t tmpfs tmpfs "$1/over"
mkdir "$1/over/upper" "$1/over/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/over/upper,workdir=$1/over/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /sys "$1/root/sys"
mount --rbind /dev "$1/root/dev"
mkdir "$1/root/packages"
cp "$1"/*.deb "$1/root/packages"
rm -f "$1/root/packages"/*-dbgsym_*
chroot "$1/root" sh -ec 'DEBIAN_FRONTEND=noninteractive dpkg -i /packages/*.deb'
chroot "$1/root" /bin/sh -e <"$1/isoplane/debian/tests/smoke"
chroot "$1/root" sh -ec 'dpkg -r isoplane-fi isoplane isoplane-compat-dev libisoplane-dev libisoplane0; ! command -v isoplane'
"""


def command(*words, **how):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **how)
    assert done.returncode == 0, f"{' '.join(words[:3])}: exit code {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed: apt-get install dpkg-dev debhelper lintian")


def packages():
    found = glob.glob(os.path.join(scratch.name, "*.deb"))
    if not found:
        raise Skip("no package was built")
    return found


@test
def packages_build():
    needs("dpkg-buildpackage", "dh", "git")
    files = command("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard").splitlines()
    for name in files:
        if os.path.lexists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(SOURCE, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(SOURCE, name), follow_symlinks=False)
    command("dpkg-buildpackage", "-us", "-uc", "-b", cwd=SOURCE)
    names = {os.path.basename(path).split("_")[0] for path in packages()}
    assert {"isoplane", "libisoplane0", "libisoplane-dev", "isoplane-compat-dev"} <= names, names
    if os.environ.get("ISOPLANE_PACKAGES"):
        for path in packages():
            shutil.copy(path, os.environ["ISOPLANE_PACKAGES"])


@test
def lintian_finds_no_error():
    needs("lintian")
    changes = glob.glob(os.path.join(scratch.name, "*.changes"))
    packages()
    command("lintian", "--allow-root", "--fail-on", "error", *changes)


@test
def what_is_installed_passes_the_test_of_the_packages():
    packages()
    if os.geteuid() != 0:
        raise Skip("installing packages needs root")
    os.mkdir(os.path.join(scratch.name, "over"))
    said = command("unshare", "--mount", "--pid", "--fork", "sh", "-c", INSTALL_AND_TRY, "sh", scratch.name)
    assert "smoke: all is well" in said, said[-3000:]


run()
