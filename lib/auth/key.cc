// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <isoplane/auth/key.hh>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace isoplane::auth {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw std::invalid_argument("the key file '" + file + "' " + why);
}

Secret parse_secret(const std::string& digits, const std::string& file) {
    Secret secret;
    const bool fits =
        digits.size() == 2 * secret.size() && digits.find_first_not_of(kDigits) == std::string::npos;
    if (!fits)
        refuse(file,
               "has no secret of 64 hexadecimal digits (0-9, a-f) behind the algorithm: make one by "
               "`openssl rand -hex 32`");
    for (std::size_t i = 0; i < secret.size(); ++i)
        secret[i] =
            static_cast<std::byte>(kDigits.find(digits[2 * i]) << 4 | kDigits.find(digits[2 * i + 1]));
    return secret;
}

}  // namespace

Algorithm parse_algorithm(std::string_view word) {
    if (word == "aes-gmac") return Algorithm::kAesGmac;
    if (word == "chacha20-poly1305") return Algorithm::kChaCha20Poly1305;
    throw std::invalid_argument("'" + std::string(word) +
                                "' authenticates nothing: it can be aes-gmac or chacha20-poly1305");
}

std::string_view name(Algorithm algorithm) {
    return algorithm == Algorithm::kAesGmac ? "aes-gmac" : "chacha20-poly1305";
}

Key random_key(Algorithm algorithm) {
    Key key{algorithm, {}};
    if (getrandom(key.secret.data(), key.secret.size(), 0) != static_cast<ssize_t>(key.secret.size()))
        throw std::runtime_error(std::string("the kernel has no random bytes for a key: ") +
                                 std::strerror(errno) + "; name a key file instead");
    return key;
}

Key parse_key(std::string_view text, const std::string& file) {
    std::istringstream words{std::string(text)};
    std::string algorithm;
    std::string digits;
    std::string more;
    words >> algorithm >> digits;
    if (words >> more) refuse(file, "goes on behind its secret: leave one line, ALGORITHM and 64 digits");
    Key key;
    try {
        key.algorithm = parse_algorithm(algorithm);
    } catch (const std::invalid_argument& error) {
        refuse(file, std::string("does not begin with an algorithm: ") + error.what());
    }
    key.secret = parse_secret(digits, file);
    return key;
}

std::string key_text(const Key& key) {
    std::string text = std::string(name(key.algorithm)) + ' ';
    for (const std::byte byte : key.secret) {
        text += kDigits[std::to_integer<unsigned>(byte) >> 4];
        text += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return text + '\n';
}

Key load_key(const std::string& path) {
    std::ifstream file(path);
    struct stat status {};
    if (!file || stat(path.c_str(), &status) != 0)
        refuse(path, std::string("cannot be read: ") + std::strerror(errno));
    if (S_ISDIR(status.st_mode)) refuse(path, "is a directory: name a file in it");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        refuse(path, "is open to others than its owner, who could speak for any node: chmod 600 " + path);
    return parse_key(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

}  // namespace isoplane::auth
