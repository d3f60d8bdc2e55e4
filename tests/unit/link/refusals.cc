// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "link_test.hh"

namespace isoplane::link {
namespace {

using ::testing::HasSubstr;

/// What cannot be opened says what was wrong, what was expected and what to do.
class Refusal : public LinkTest {
  protected:
    std::string of(const std::string& text) { return of(text, options()); }
    std::string of(const std::string& text, const LinkOptions& with) {
        try {
            open_link(LinkSpec::parse(text), "link0", with);
        } catch (const std::exception& error) {
            EXPECT_THAT(error.what(), HasSubstr("'" + text + "'")) << "does not name the link";
            return error.what();
        }
        ADD_FAILURE() << text << " was opened";
        return {};
    }
};

TEST_F(Refusal, of_an_mtu_that_the_kind_does_not_take) {
    LinkOptions with = options();
    with.mtu = 9000;
    EXPECT_THAT(of("afxdp:lo", with), HasSubstr("an MTU of 9000"));
    EXPECT_THAT(of("afxdp:lo", with), HasSubstr("links of kind afxdp take 64 to 3500"));
    with.mtu = 10;
    EXPECT_THAT(of("null:", with), HasSubstr("an MTU of 10"));
    with.mtu = 65520;
    EXPECT_THAT(of("virtio:/tmp/x", with), HasSubstr("an MTU of 65520"));
}

TEST_F(Refusal, of_an_address_that_is_none) {
    EXPECT_THAT(of("null:mac=02:00"), HasSubstr("mac=02:00 is not the address of one station"));
    EXPECT_THAT(of("null:mac=ff:ff:ff:ff:ff:ff"), HasSubstr("is not the address of one station"));
    EXPECT_THAT(of("null:mac="), HasSubstr("is not the address of one station"));
}

TEST_F(Refusal, of_a_number_out_of_range) {
    EXPECT_THAT(of("null:size=0"), HasSubstr("size=0 is not a whole number from 1 to 2048"));
    EXPECT_THAT(of("null:size=2049,copy=1"), HasSubstr("size=2049 is not a whole number from 1 to 2048"))
        << "more than a packet has room for";
    EXPECT_THAT(of("memif:/tmp/x,id=70000"), HasSubstr("id=70000 is not a whole number from 0 to 65535"));
    EXPECT_THAT(of("virtio:/tmp/x,wait=soon"), HasSubstr("wait=soon is not a whole number from 0 to 3600"));
}

TEST_F(Refusal, of_a_ring_end_that_there_is_not) {
    EXPECT_THAT(of("ring:x,end=c"), HasSubstr("end=c is neither a nor b"));
}

TEST_F(Refusal, of_a_place_that_cannot_hold_a_socket) {
    const std::string nowhere = (dir / "missing" / "s").string();
    EXPECT_THAT(of("virtio:" + nowhere),
                HasSubstr("there is no directory '" + (dir / "missing").string() + "'"));
    EXPECT_THAT(of("virtio:" + nowhere), HasSubstr("mkdir -p"));
    const std::string long_path = (dir / std::string(100, 'x')).string();
    EXPECT_THAT(of("memif:" + long_path),
                HasSubstr("at most 107 characters, this one " + std::to_string(long_path.size())));
    std::ofstream(dir / "file") << "not a socket";
    EXPECT_THAT(of("memif:" + (dir / "file").string()), HasSubstr("is in the way, it is not a socket"));
    EXPECT_TRUE(std::filesystem::exists(dir / "file")) << "and must not be touched";
}

TEST_F(Refusal, of_an_interface_that_is_not_there) {
    for (const std::string kind : {"afpacket", "afxdp"}) {
        EXPECT_THAT(of(kind + ":veth9"), HasSubstr("there is no network interface 'veth9'; `ip link` lists"));
        EXPECT_THAT(of(kind + ":a/b"), HasSubstr("'a/b' cannot be the name of a network interface"));
    }
    EXPECT_THAT(of("tap:" + std::string(16, 'x')), HasSubstr("those have at most 15 characters"));
}

TEST_F(Refusal, of_an_interface_with_a_smaller_mtu) {
    LinkOptions with = options();
    with.mtu = 65521;
    for (const auto& interface : std::filesystem::directory_iterator("/sys/class/net")) {
        unsigned present = 0;
        std::ifstream(interface.path() / "mtu") >> present;
        const std::string name = interface.path().filename();
        if (present == 0 || present >= with.mtu || !interface.is_directory()) continue;
        EXPECT_THAT(of("afpacket:" + name, with),
                    HasSubstr("that of the interface is " + std::to_string(present) +
                              "; raise it (ip link set dev " + name + " mtu 65521)"));
        return;
    }
    GTEST_SKIP() << "no interface has an MTU below " << with.mtu;
}

TEST_F(Refusal, of_a_tap_on_an_interface_that_is_none) {
    if (access("/dev/net/tun", F_OK) != 0) GTEST_SKIP() << "there is no /dev/net/tun";
    if (geteuid() != 0) GTEST_SKIP() << "needs CAP_NET_ADMIN";
    EXPECT_THAT(of("tap:lo"), HasSubstr("the interface 'lo' exists and is no tap"));
}

TEST_F(Refusal, of_a_nic_that_dpdk_does_not_have) {
    EXPECT_THAT(of("pci:0000:ff:1f.7"), HasSubstr("dpdk-devbind.py -b vfio-pci 0000:ff:1f.7"));
    EXPECT_EQ(pci_devices(parse_links("ring:a,pci:0000:ff:1f.7,null:")),
              std::vector<std::string>{"0000:ff:1f.7"});
}

TEST_F(Refusal, of_one_link_closes_those_opened_before_it) {
    const auto specs =
        parse_links("ring:x,virtio:" + (dir / "s").string() + ",pcap:" + (dir / "no.pcap").string());
    EXPECT_THROW(open_links(specs, options()), std::runtime_error);
    EXPECT_TRUE(std::filesystem::is_empty(dir));
    EXPECT_NO_THROW(open("ring:x"));
}

}  // namespace
}  // namespace isoplane::link
