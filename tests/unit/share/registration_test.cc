// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

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
    /// To one that brings that memory.
    std::string answer_to(const Identity& who, int area, int memory) const {
        const int descriptor = connected(path);
        EXPECT_TRUE(share::send_request(descriptor, share::Request::of(who), area, memory));
        share::Answer answer;
        EXPECT_EQ(recv(descriptor, &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
        close(descriptor);
        return answer.mtu == 0 ? answer.sentence.data() : "welcome";
    }
};

Identity with_address(Identity who, std::uint32_t address) {
    who.encapsulation = {.transport = wire::Transport::kUdp};
    who.address = address;
    return who;
}

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
    Identity in_udp = with_address(identity(0), 0x0a000001);
    EXPECT_EQ(answer_to(in_udp), "welcome");
    for (const int port : {0, 53, 68, 1023}) {
        in_udp.encapsulation.udp_port = static_cast<std::uint16_t>(port);
        EXPECT_SAYS(answer_to(in_udp), "UDP port " + std::to_string(port) + " belongs to a service");
    }
}

/// Who has it would have what is for the other, by ARP.
TEST_F(Registration, an_ipv4_address_is_one_clients) {
    const Attached holder(path, with_address(identity(0), 0x0a000001));
    EXPECT_SAYS(answer_to(with_address(identity(1), 0x0a000001)), "the address 10.0.0.1 is that of");
    EXPECT_SAYS(answer_to(with_address(identity(1, 8), 0x0a000001)), "the address 10.0.0.1 is that of");
    EXPECT_EQ(answer_to(with_address(identity(1), 0x0a000002)), "welcome");
    const Attached in_ethernet(path, identity(2));
    EXPECT_EQ(answer_to(identity(3)), "welcome") << "where there are none, none is taken";
}

/// Memory of a size, of which there is nothing yet.
struct Sparse {
    /// `behind`: but for as much behind its end.
    explicit Sparse(off_t size, bool behind = false)
        : descriptor(memfd_create("sparse", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
        EXPECT_EQ(ftruncate(descriptor, size), 0);
        EXPECT_TRUE(!behind || fallocate(descriptor, FALLOC_FL_KEEP_SIZE, size, size) == 0);
        EXPECT_EQ(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
    }
    ~Sparse() { close(descriptor); }
    auto resident() const {
        struct stat file {};
        EXPECT_EQ(fstat(descriptor, &file), 0);
        return file.st_blocks;
    }
    const int descriptor;
};

TEST_F(Registration, memory_of_who_may_not_come_is_left_alone) {
    const Attached holder(path, identity(0));
    const Sparse area(sizeof(share::Area));
    const Sparse memory(64 << 20);
    EXPECT_SAYS(answer_to(identity(0), area.descriptor, memory.descriptor), "is that of");
    EXPECT_EQ(area.resident(), 0);
    EXPECT_EQ(memory.resident(), 0);
}

/// Else it is the node that is charged for what it touches.
TEST_F(Registration, memory_that_is_not_there_yet_is_not_taken) {
    const runtime::SharedMemory whole("whole", sizeof(share::Area));
    const runtime::SharedMemory other("other", sizeof(share::Area));
    const Sparse area(sizeof(share::Area));
    const Sparse memory(64 << 20);
    EXPECT_SAYS(answer_to(identity(0), area.descriptor, whole.descriptor()), "not all there");
    EXPECT_SAYS(answer_to(identity(0), whole.descriptor(), memory.descriptor), "not all there");
    EXPECT_SAYS(answer_to(identity(0), whole.descriptor(), other.descriptor()), "given to a node before");
    EXPECT_EQ(area.resident(), 0);
    EXPECT_EQ(memory.resident(), 0);
    const Sparse elsewhere(1 << 20, true);
    const auto behind = elsewhere.resident();
    EXPECT_SAYS(answer_to(identity(0), other.descriptor(), elsewhere.descriptor), "not all there");
    EXPECT_EQ(elsewhere.resident(), behind);
    EXPECT_EQ(desk->totals()["refused"], 4);
}

}  // namespace

}  // namespace isoplane::test
