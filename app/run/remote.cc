// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "remote.hh"

#include <filesystem>
#include <stdexcept>

#include "parts.hh"

namespace isoplane::run {

namespace {

/// In one line, since not every login shell takes several within quotes.
std::string script_of(const RemoteRank& rank) {
    std::string script = "u=$(umask); umask 077; exec 3<&0; d=$(mktemp -d) || exit 1; ";
    for (const File& file : rank.files)
        script += "head -c " + std::to_string(file.text.size()) + " > \"$d/\"" + quoted(file.name) + "; ";
    script += "umask \"$u\"; ";
    // Relative paths mean something where both machines have the directory.
    script += "cd " + quoted(std::filesystem::current_path().string()) + " 2> /dev/null; ";
    script += "setsid env ISOPLANE_CONFIG=\"$d/node.conf\" RUNTIME_DIRECTORY=\"$d\"";
    for (const std::string& entry : rank.entries)
        script += ' ' + quoted(entry);
    for (const std::string& word : rank.words)
        script += ' ' + quoted(word);
    script += " < /dev/null 3<&- & p=$!; ";
    script += "{ cat <&3; kill -TERM -$p; sleep " + std::to_string(rank.grace_seconds) +
              "; kill -KILL -$p; } > /dev/null 2>&1 & w=$!; ";
    // A shell that has something to say, and nobody to hear it, would die of that before the end.
    script += "exec 3<&- > /dev/null 2>&1; ";
    script += "wait $p; s=$?; kill $w; kill -KILL -$p; rm -rf \"$d\"; exit $s";
    return script;
}

}  // namespace

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'')
            text += "'\\''";
        else
            text += c;
    }
    return text + "'";
}

Launch remote_launch(const RemoteRank& rank) {
    Launch launch;
    launch.path = along_path("ssh");
    if (launch.path.empty())
        throw std::runtime_error("there is no ssh along PATH, by which ranks are started at " +
                                 rank.destination + ": install it, as by `apt-get install openssh-client`.");
    launch.words = {"ssh", "-o", "BatchMode=yes", rank.destination, "exec sh -c " + quoted(script_of(rank))};
    for (const File& file : rank.files)
        launch.fed += file.text;
    return launch;
}

}  // namespace isoplane::run
