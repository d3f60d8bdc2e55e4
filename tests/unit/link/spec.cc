// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock-more-matchers.h>
#include <gtest/gtest.h>

#include <isoplane/link/kind.hh>
#include <isoplane/link/spec.hh>
#include <stdexcept>

namespace isoplane::link {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string refusal(std::string_view text) {
    try {
        parse_links(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

TEST(LinkSpec, has_a_kind_a_target_and_options) {
    const LinkSpec spec = LinkSpec::parse("virtio:/tmp/s,side=vhost,wait=3");
    EXPECT_EQ(spec.kind, "virtio");
    EXPECT_EQ(spec.target, "/tmp/s");
    EXPECT_THAT(spec.options, ElementsAre(Pair("side", "vhost"), Pair("wait", "3")));
    EXPECT_EQ(spec.text, "virtio:/tmp/s,side=vhost,wait=3");
}

TEST(LinkSpec, of_pcap_takes_two_files_of_which_either_may_be_missing) {
    EXPECT_EQ(LinkSpec::parse("pcap:in.pcap").target, "in.pcap");
    EXPECT_EQ(LinkSpec::parse("pcap:in.pcap,out.pcap").target, "in.pcap,out.pcap");
    EXPECT_EQ(LinkSpec::parse("pcap:,out.pcap").target, ",out.pcap");
    EXPECT_EQ(LinkSpec::parse("pcap:,./a=b.pcap").target, ",./a=b.pcap");
    EXPECT_THAT(LinkSpec::parse("pcap:in.pcap,mac=02:00:00:00:00:01").options,
                ElementsAre(Pair("mac", "02:00:00:00:00:01")));
    EXPECT_THAT(refusal("pcap:,"), HasSubstr("pcap:IN[,OUT]"));
}

TEST(LinkSpec, of_null_takes_options_at_once) {
    EXPECT_THAT(LinkSpec::parse("null:").options, IsEmpty());
    EXPECT_THAT(LinkSpec::parse("null:size=9000,copy=1").options,
                ElementsAre(Pair("copy", "1"), Pair("size", "9000")));
    EXPECT_THAT(refusal("null:zero"), HasSubstr("'zero' is neither an option of null"));
}

TEST(LinkSpec, target_may_hold_colons_and_equals_signs) {
    EXPECT_EQ(LinkSpec::parse("pci:0000:03:00.0").target, "0000:03:00.0");
    EXPECT_EQ(LinkSpec::parse("memif:a=b").target, "a=b");
}

TEST(LinkSpec, list_is_split_where_a_known_kind_begins) {
    const auto specs =
        parse_links("pcap:in.pcap,out.pcap,virtio:/tmp/s,side=vhost,null:,pci:0000:03:00.0,ring:x");
    ASSERT_EQ(specs.size(), 5U);
    EXPECT_EQ(specs[0].text, "pcap:in.pcap,out.pcap");
    EXPECT_EQ(specs[1].text, "virtio:/tmp/s,side=vhost");
    EXPECT_EQ(specs[2].text, "null:");
    EXPECT_EQ(specs[3].target, "0000:03:00.0");
    EXPECT_EQ(specs[4].target, "x");
}

TEST(LinkSpec, of_an_unknown_kind_is_refused_with_the_nearest) {
    EXPECT_THAT(refusal("virtoi:/tmp/s"), HasSubstr("'virtoi' is not a kind of link (ring, virtio, memif, "
                                                    "afpacket, afxdp, tap, pcap, null, pci, shared)"));
    EXPECT_THAT(refusal("virtoi:/tmp/s"), HasSubstr("did you mean 'virtio'?"));
    EXPECT_THAT(refusal("ether:x"), HasSubstr("'ether' is not a kind of link"));
    EXPECT_THAT(refusal("ether:x"), ::testing::Not(HasSubstr("did you mean")));
    EXPECT_THAT(refusal(""), HasSubstr("'' is not a kind of link"));
    EXPECT_THAT(refusal(",ring:x"), HasSubstr("'' is not a kind of link"));
}

TEST(LinkSpec, with_an_unknown_option_is_refused_with_those_there_are) {
    EXPECT_THAT(refusal("virtio:/tmp/s,sid=vhost"),
                HasSubstr("links of kind virtio have no option 'sid' (there is side, packed, wait, mac); "
                          "did you mean 'side'?"));
    EXPECT_THAT(refusal("afpacket:eth0,mtu=3"), HasSubstr("have no option 'mtu' (they have none)"));
    EXPECT_THAT(refusal("virtio:/tmp/s,wait=1,wait=2"), HasSubstr("gives the option 'wait' twice"));
}

TEST(LinkSpec, that_is_incomplete_is_refused_with_how_to_write_it) {
    EXPECT_THAT(refusal("ring"), HasSubstr("lacks the colon after the kind of link; write it as ring:NAME"));
    EXPECT_THAT(refusal("ring:"), HasSubstr("a link of this kind is written ring:NAME"));
    EXPECT_THAT(refusal("ring:a,rung:b"), HasSubstr("'rung:b' is neither an option of ring links"));
    EXPECT_THAT(refusal("ring:a,"), HasSubstr("'' is neither an option of ring links"));
}

TEST(LinkSpec, numbers_are_checked_against_their_range) {
    const LinkSpec spec = LinkSpec::parse("null:size=70000,copy=x,no-rx=1");
    EXPECT_EQ(spec.number("no-rx", 0, 0, 1), 1U);
    EXPECT_EQ(spec.number("absent", 7, 0, 1), 7U);
    for (const char* key : {"size", "copy"})
        EXPECT_THROW((void)spec.number(key, 64, 1, 65535), std::invalid_argument) << key;
    EXPECT_THROW((void)LinkSpec::parse("null:size=-1").number("size", 64, 1, 65535), std::invalid_argument);
    EXPECT_THROW((void)LinkSpec::parse("null:size=").number("size", 64, 1, 65535), std::invalid_argument);
}

TEST(LinkKinds, are_documented_completely) {
    for (const LinkKind& kind : link_kinds()) {
        EXPECT_FALSE(kind.summary.empty()) << kind.name;
        EXPECT_FALSE(kind.rate.empty()) << kind.name;
        EXPECT_FALSE(kind.needs.empty()) << kind.name;
        EXPECT_GE(kind.max_mtu, 1500U) << kind.name;
        EXPECT_EQ(kind.target.empty(), kind.name == "null");
        EXPECT_EQ(find_kind(kind.name), &kind);
    }
}

}  // namespace
}  // namespace isoplane::link
