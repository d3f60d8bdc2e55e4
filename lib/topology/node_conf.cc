// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/node_options.hh>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/value_semantic.hpp>

#include "node_option.hh"
#include "text.hh"

namespace isoplane::topology {

namespace po = boost::program_options;

namespace {

/// What of node_options() programs do not heed.
constexpr const char* kOfNodeCommand[] = {"place", "exec", "stats-period", "duration"};

/// mac.NAME and host.NAME.mac say the same, so that one after the other is a doublet.
std::string canonical(const std::string& key) {
    return key.starts_with("mac.") ? "host." + key.substr(4) + ".mac" : key;
}

/// Reads key after key of one source, which may give each option once, over what `conf` says already.
class Source {
  public:
    Source(NodeConf& conf, std::string file) : conf_(conf), file_(std::move(file)) {}

    void give(const NodeOption& option, const std::string& key, std::string value, Position at) {
        const auto [first, is_new] = given_.try_emplace(canonical(key), at);
        if (!is_new && !option.repeats)
            refuse(at,
                   "the option " + quote(key) + " is given twice" +
                       (first->second.line ? ", first on line " + std::to_string(first->second.line) : "") +
                       ": remove one");
        check_value(key, value, at);
        if (is_new) option_starts(option, key, at);
        try {
            option.set(conf_, key, value);
        } catch (const Misfit& misfit) {
            refuse(at, "the option " + quote(key) + ": " + misfit.sentence);
        }
    }

    /// One of the caller's options, who checks it.
    void give_more(const std::string& key, const std::string& value, Position at) {
        check_value(key, value, at);
        conf_.more.emplace_back(key, value);
        conf_.origin.places.insert_or_assign(key, at);
    }

    [[noreturn]] void refuse(Position at, std::string sentence) const {
        throw Error(file_, at, std::move(sentence));
    }

  private:
    void check_value(const std::string& key, const std::string& value, Position at) const {
        if (value.empty()) refuse(at, "the option " + quote(key) + " has no value: write one, or remove it");
    }

    void option_starts(const NodeOption& option, const std::string& key, Position at) {
        if (option.repeats) conf_.links.clear();
        conf_.origin.places.insert_or_assign(canonical(key), at);
    }

    NodeConf& conf_;
    std::string file_;
    std::map<std::string, Position> given_;
};

/// node.conf by its lines: Boost takes each one apart, and what it makes of it is known to be of that line.
class ConfReader {
  public:
    ConfReader(std::string_view text, const std::string& file, const po::options_description& more)
        : lines_(text, file), source_(conf_, file) {
        conf_.origin.file = file;
        all_.add(node_options()).add(more);
    }

    NodeConf read() {
        while (lines_.next())
            read_line();
        return std::move(conf_);
    }

  private:
    void read_line();
    void read_section();
    po::option parse_option() const;
    [[noreturn]] void refuse_unknown(const std::string& key) const;

    Lines lines_;
    po::options_description all_;
    NodeConf conf_;
    Source source_;
    std::string section_;  ///< with its '.'
};

void ConfReader::read_section() {
    const std::string_view line = lines_.text();
    const std::string_view name =
        line.ends_with(']') ? trim(line.substr(1, line.size() - 2)) : std::string_view{};
    // A '[' in it would come to stand in front of the keys, and make Boost take them for sections.
    if (name.empty() || name.find_first_of("[]=") != std::string_view::npos)
        lines_.refuse(lines_.at(), quote(line) +
                                       " is no section; \"[NAME]\" was expected: close it, or begin the "
                                       "line with a key");
    section_ = name;
    if (section_.back() != '.') section_ += '.';
}

void ConfReader::refuse_unknown(const std::string& key) const {
    std::vector<std::string> known{"host.NAME.mac",  "host.NAME.ip",  "host.NAME.gateway",
                                   "host.NAME.link", "host.NAME.ssh", "mac.NAME"};
    for (const auto& option : all_.options())
        if (!option->long_name().ends_with('*')) known.push_back(option->long_name());
    const std::string meant = nearest(key, known);
    std::string all;
    for (const std::string& name : known)
        all += (all.empty() ? "" : ", ") + name;
    lines_.refuse(lines_.at(),
                  "the option " + quote(key) + " is not known: " +
                      (meant.empty() ? "write one of " + all : "did you mean " + quote(meant) + "?"));
}

po::option ConfReader::parse_option() const {
    std::istringstream line(section_ + std::string(lines_.text()));
    try {
        return po::parse_config_file(line, all_).options.at(0);
    } catch (const po::unknown_option& unknown) {
        refuse_unknown(unknown.get_option_name());
    } catch (const po::invalid_syntax&) {
        lines_.refuse(lines_.at(), quote(lines_.text()) +
                                       " has no '='; \"key=value\" was expected: write that, or '#' "
                                       "in front for a comment");
    }
}

void ConfReader::read_line() {
    for (const char& c : lines_.text())
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
            lines_.refuse(lines_.at(std::string_view(&c, 1)),
                          "the byte " + quote(std::string_view(&c, 1)) + " is no text: remove it");
    if (lines_.text().front() == '[') return read_section();
    const po::option option = parse_option();
    if (const NodeOption* row = find_node_option(option.string_key))
        source_.give(*row, option.string_key, option.value.at(0), lines_.at());
    else
        source_.give_more(option.string_key, option.value.at(0), lines_.at());
}

void check_writable(const std::string& key, const std::string& value) {
    bool fits = !value.empty() && trim(value).size() == value.size();
    for (const char c : value)
        fits = fits && c != '#' && c != 0x7f && (static_cast<unsigned char>(c) >= 0x20 || c == '\t');
    if (!fits)
        throw Error("node.conf", {},
                    "the option " + quote(key) + " has the value " + quote(value) +
                        ", which such a file cannot hold: leave out '#', line ends and blanks at "
                        "the edge");
}

}  // namespace

std::string NodeConf::resolve(const std::string& path) const {
    return (std::filesystem::path(origin.file).parent_path() / path).string();
}

Error NodeConf::error(std::string_view option, std::string sentence) const {
    const auto given = origin.places.find(option);
    const bool in_file = given != origin.places.end() && given->second.line != 0;
    return Error(in_file ? origin.file : "command line", in_file ? given->second : Position{},
                 "the option " + quote(option) + ": " + std::move(sentence));
}

po::options_description node_options() {
    po::options_description options("What node.conf says too");
    for (const NodeOption& row : node_option_table()) {
        if (row.repeats)
            options.add_options()(row.name,
                                  po::value<std::vector<std::string>>()->composing()->value_name(row.value),
                                  row.help);
        else
            options.add_options()(row.name, po::value<std::string>()->value_name(row.value), row.help);
    }
    return options;
}

bool is_of_node_command(std::string_view key) {
    return std::ranges::find(kOfNodeCommand, key) != std::end(kOfNodeCommand);
}

void refuse_options_of_node_command(const NodeConf& conf) {
    for (const char* key : kOfNodeCommand)
        if (conf.origin.places.contains(key))
            throw conf.error(key, "it is for isoplane node, and programs would pass it over: remove it");
}

NodeConf parse_node_conf(std::string_view text, const std::string& file,
                         const po::options_description& more) {
    return ConfReader(text, file, more).read();
}

NodeConf parse_node_conf(std::string_view text, const std::string& file) {
    return parse_node_conf(text, file, {});
}

NodeConf load_node_conf(const std::string& path, const po::options_description& more) {
    return parse_node_conf(read_file(path), path, more);
}

NodeConf load_node_conf(const std::string& path) {
    return load_node_conf(path, {});
}

void read_options(NodeConf& conf, const po::parsed_options& command_line) {
    Source source(conf, "command line");
    for (const po::option& option : command_line.options) {
        const NodeOption* row = find_node_option(option.string_key);
        if (row == nullptr) continue;
        for (std::string value : option.value) {
            if (row->is_path && !value.empty()) value = std::filesystem::absolute(value).string();
            source.give(*row, option.string_key, std::move(value), {});
        }
    }
}

std::string write_node_conf(const NodeConf& conf) {
    std::string text;
    const WriteOption write = [&text](const std::string& key, const std::string& value) {
        check_writable(key, value);
        text += key + "=" + value + "\n";
    };
    for (const NodeOption& row : node_option_table())
        row.get(conf, write);
    for (const auto& [key, value] : conf.more)
        write(key, value);
    return text;
}

}  // namespace isoplane::topology
