/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors
 *
 * holding FILE PROGRAM WORD...: runs a program while the lock of the file is held.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int file = argc > 2 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || flock(file, LOCK_EX) != 0) {
        perror("holding");
        return 2;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
