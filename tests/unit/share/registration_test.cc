// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node_with_desk.hh"

namespace isoplane::test {

namespace {

/// Who is not let in, and what he is told.
class Registration : public Desk {
  public:
    std::string answer_to(const Identity& who) {
        try {
            const Attached attached(path, who);
        } catch (const std::runtime_error& no) {
            return no.what();
        }
        return "welcome";
    }
};

#define EXPECT_SAYS(sentence, part) \
    EXPECT_NE((sentence).find(part), std::string::npos) << "it says: " << (sentence)

/// One that had the EtherType of ARP could choose a job key and node that make its frames ARP.
TEST_F(Registration, frames_that_others_would_take_for_theirs_are_nobodys) {
    for (const int type :
         {0, 0x05ff, 0x0800, 0x0806, 0x8100, 0x86dd, 0x88a8, 0x88b6, 0x88cc, 0x9100, 0xffff}) {
        Identity forger = identity(0);
        forger.encapsulation.ethertype = static_cast<std::uint16_t>(type);
        const std::string said = answer_to(forger);
        EXPECT_SAYS(said, "its frames have the EtherType 0x88b5");
    }
    Identity in_udp = identity(0);
    in_udp.address = 0x0a000001;
    in_udp.encapsulation = {.transport = wire::Transport::kUdp, .ethertype = wire::kIpv4EtherType};
    EXPECT_EQ(answer_to(in_udp), "welcome");
    for (const int port : {0, 53, 68, 1023}) {
        in_udp.encapsulation.udp_port = static_cast<std::uint16_t>(port);
        EXPECT_SAYS(answer_to(in_udp), "UDP port " + std::to_string(port) + " belongs to a service");
    }
}

}  // namespace

}  // namespace isoplane::test
