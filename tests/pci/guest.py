# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""A virtual machine with NICs that DPDK drives: its disk, which is its memory, and how it is started.

The guest has Debian's kernel, busybox, and of this machine what the programs under test load. Nothing here needs root: the
packages that are not installed are downloaded and unpacked beside the build.
"""

import contextlib
import fcntl
import glob
import os
import re
import shutil
import subprocess

from net import Skip, command

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL = "linux-image-cloud-amd64"  # depends on the newest, which is small
# Modules of a driver, besides those that they name themselves.
MODULES = {"uio_pci_generic": ("uio_pci_generic",), "vfio-pci": ("vfio_iommu_type1", "vfio-pci")}
# Loaded by the EAL, so that no program names them.
PLUGINS = ("bus_pci", "bus_vdev", "mempool_ring", "mempool_stack", "net_e1000", "net_virtio", "net_vmxnet3")


@contextlib.contextmanager
def alone(directory):
    """Others that make the same wait."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "lock"), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def unpacked(package, directory):
    """Where a package of Debian is unpacked; downloaded the first time."""
    target = os.path.join(directory, package)
    if os.path.isdir(target):
        return target
    fresh = f"{target}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh)
    if not shutil.which("apt-get"):
        raise Skip(f"{package} comes from Debian, and there is no apt-get")
    done = subprocess.run(["apt-get", "-qq", "download", package], cwd=fresh, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    archives = glob.glob(os.path.join(fresh, "*.deb"))
    if done.returncode != 0 or not archives:
        raise Skip(f"{package} cannot be downloaded: {done.stderr.strip().splitlines()[-1:] or 'apt-get update may help'}")
    command("dpkg", "-x", archives[0], fresh)
    os.remove(archives[0])
    os.rename(fresh, target)
    return target


def kernel_package():
    if not shutil.which("apt-cache"):
        raise Skip("the guest's kernel is Debian's, and there is no apt-cache")
    found = re.search(r"Depends: (linux-image-\S+)", command("apt-cache", "depends", KERNEL, env={**os.environ, "LC_ALL": "C"}))
    if not found:
        raise Skip(f"apt-cache knows no {KERNEL}: apt-get update may help")
    return found[1]


def loaded_by(path):
    """The libraries that a program or library is loaded with."""
    return re.findall(r"(?:=> |^\s+)(/\S+) \(0x", command("ldd", path), re.MULTILINE)


class Tree:
    """What will be the guest's root directory."""

    def __init__(self, root):
        self.root = root
        shutil.rmtree(root, ignore_errors=True)
        for directory in ("bin", "dev", "proc", "sys", "tmp", "var/run"):
            os.makedirs(os.path.join(root, directory))

    def put(self, source, at):
        target = os.path.join(self.root, at.lstrip("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    def library(self, path):
        """A file, where it is on this machine, with the links that lead to it: by another name it would be a second
        library."""
        while True:
            # Directories may be links as well (/lib).
            path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            target = os.path.join(self.root, path.lstrip("/"))
            if os.path.lexists(target):
                return
            if not os.path.islink(path):
                self.put(path, path)
                return
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(os.readlink(path), target)
            path = os.path.join(os.path.dirname(path), os.readlink(path))

    def program(self, path, at):
        self.put(path, at)
        subprocess.run(["strip", os.path.join(self.root, at.lstrip("/"))], check=False)
        for library in loaded_by(path):
            if library.startswith(("/lib", "/usr/lib")):
                self.library(library)
            else:
                self.put(library, f"/usr/lib/{os.path.basename(library)}")

    def loader(self):
        """Programs name it by a directory that is a link here."""
        for name in ("lib", "lib64"):
            if os.path.islink(f"/{name}"):
                os.symlink(os.readlink(f"/{name}"), os.path.join(self.root, name))

    def archive(self, busybox, path):
        """As the kernel unpacks it into memory; not compressed, which would take the guest longer."""
        with open(f"{path}.new", "wb") as out:
            names = command("find", ".", cwd=self.root)
            subprocess.run([busybox, "cpio", "-o", "-H", "newc"], cwd=self.root, input=names.encode(), stdout=out,
                           stderr=subprocess.DEVNULL, check=True)
        os.rename(f"{path}.new", path)


def make_image(directory, programs):
    """(kernel, initial memory) of the guest, made in `directory`. `programs` are those to have in its /bin."""
    for needed in ("qemu-system-x86_64", "dpkg"):
        if not shutil.which(needed):
            raise Skip(f"{needed} is not installed: tools/setup --pci installs what the guests need")
    with alone(directory):
        kernel = unpacked(kernel_package(), directory)
        busybox = os.path.join(unpacked("busybox-static", directory), "bin", "busybox")
        tree = Tree(os.path.join(directory, "root"))
        tree.loader()
        tree.put(busybox, "/bin/busybox")
        tree.put(os.path.join(HERE, "init"), "/init")
        modules, = glob.glob(os.path.join(kernel, "lib", "modules", "*"))
        add_modules(tree, modules)
        for name, path in programs.items():
            tree.program(path, f"/bin/{name}")
        add_plugins(tree)
        image = os.path.join(directory, "initramfs")
        tree.archive(busybox, image)
        shutil.rmtree(tree.root)
        vmlinuz, = glob.glob(os.path.join(kernel, "boot", "vmlinuz-*"))
        return vmlinuz, image


def add_modules(tree, modules):
    """The drivers of MODULES, and for each a list of the files to load, in their order."""
    files = {os.path.basename(path)[:-3].replace("-", "_"): path
             for path in glob.glob(f"{modules}/**/*.ko", recursive=True)}

    def needed(name):
        path = files[name.replace("-", "_")]
        for others in re.findall(r"^depends=(.+)$", module_information(path), re.MULTILINE):
            for other in others.split(","):
                yield from needed(other)
        yield path

    os.makedirs(os.path.join(tree.root, "modules"))
    for name, modules_of in MODULES.items():
        order = list(dict.fromkeys(path for module in modules_of for path in needed(module)))
        for path in order:
            tree.put(path, f"/modules/{os.path.basename(path)}")
        with open(os.path.join(tree.root, "modules", name), "w", encoding="utf-8") as file:
            file.writelines(f"{os.path.basename(path)}\n" for path in order)


def module_information(path):
    """What modinfo prints, which is in the file as it stands."""
    with open(path, "rb") as file:
        return file.read().replace(b"\0", b"\n").decode("latin-1")


def add_plugins(tree):
    """The drivers of DPDK that the guest needs; the EAL loads what is in their directory."""
    directory = os.path.join(command("pkg-config", "--variable=libdir", "libdpdk").strip(), "dpdk")
    found = glob.glob(os.path.join(directory, "pmds-*"))
    if not found:
        raise Skip(f"no drivers of DPDK in {directory}")
    for name in PLUGINS:
        for path in glob.glob(os.path.join(found[0], f"librte_{name}.so.*.*")):
            tree.library(path)
            for library in loaded_by(path):
                tree.library(library)
