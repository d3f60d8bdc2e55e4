// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <isoplane/auth/key.hh>
#include <stdexcept>

namespace isoplane::auth {
namespace {

std::string complaint_of(const std::string& text) {
    try {
        parse_key(text, "some.key");
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

const std::string kDigits(64, 'a');

TEST(Key, reads_back_what_it_writes) {
    for (const Algorithm algorithm : {Algorithm::kAesGmac, Algorithm::kChaCha20Poly1305}) {
        const Key key = random_key(algorithm);
        const Key again = parse_key(key_text(key), "again");
        EXPECT_EQ(again.algorithm, algorithm);
        EXPECT_EQ(again.secret, key.secret);
        EXPECT_NE(random_key(algorithm).secret, key.secret);
    }
}

TEST(Key, that_is_none_is_refused_with_its_file_and_what_to_write) {
    for (const std::string& text : {std::string(), std::string("aes-gmac"), std::string("aes-gmac abc"),
                                    "aes-gmac " + kDigits + "0", "aes-gmac " + std::string(64, 'g')})
        EXPECT_NE(complaint_of(text).find("some.key"), std::string::npos) << text;
    EXPECT_NE(complaint_of("rot13 " + kDigits).find("chacha20-poly1305"), std::string::npos);
    EXPECT_NE(complaint_of("aes-gmac " + kDigits + " and more").find("leave one line"), std::string::npos);
}

TEST(Key, file_that_is_a_directory_is_refused_as_one) {
    try {
        load_key(testing::TempDir());
        ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("is a directory"), std::string::npos) << error.what();
    }
}

TEST(Key, file_that_others_may_read_is_refused_with_what_closes_it) {
    const std::string path = testing::TempDir() + "isoplane_key_test";
    std::ofstream(path) << key_text(random_key(Algorithm::kAesGmac));
    chmod(path.c_str(), 0640);
    try {
        load_key(path);
        ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("chmod 600"), std::string::npos) << error.what();
    }
    chmod(path.c_str(), 0600);
    EXPECT_NO_THROW(load_key(path));
    std::remove(path.c_str());
    EXPECT_THROW(load_key(path), std::invalid_argument);
}

}  // namespace
}  // namespace isoplane::auth
