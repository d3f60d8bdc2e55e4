// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <arpa/inet.h>
#include <poll.h>
#include <rte_ether.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <isoplane/share/desk.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "listener.hh"
#include "registration.hh"

namespace isoplane::share {

namespace {

using Json = nlohmann::json;

/// The most memory for packets that a client may have.
constexpr std::size_t kMostMemory = std::size_t{1} << 30;
/// Connections that have not registered yet, beside the clients, of all and of one user; and how long they
/// may take.
constexpr int kMostStrangers = 64;
constexpr int kMostOfUser = 48;
constexpr auto kPatience = std::chrono::seconds(5);
/// How often it is looked after clients whose memory makes no sense.
constexpr int kTickMilliseconds = 50;

std::string text_of(const wire::MacAddress& mac) {
    rte_ether_addr address{};
    std::copy(mac.begin(), mac.end(), address.addr_bytes);
    std::array<char, RTE_ETHER_ADDR_FMT_SIZE> text{};
    rte_ether_format_addr(text.data(), text.size(), &address);
    return text.data();
}

std::string text_of(std::uint32_t address) {
    const in_addr in_order{htonl(address)};
    std::array<char, INET_ADDRSTRLEN> text{};
    return inet_ntop(AF_INET, &in_order, text.data(), text.size());
}

/// Both would answer who asks for it by ARP.
bool same_address(const Identity& a, const Identity& b) {
    const auto in_udp = [](const Identity& who) {
        return who.encapsulation.transport == wire::Transport::kUdp;
    };
    return in_udp(a) && in_udp(b) && a.address == b.address;
}

/// A hello in the name of a node, as from its next life: those who know it then ask it, and find it gone.
/// Returns its size.
std::size_t write_farewell(std::span<std::byte> out, const Identity& who, std::uint32_t epoch) {
    const std::size_t at = who.encapsulation.size();
    std::byte* header_at = out.data() + at;
    std::byte* payload = header_at + wire::kHeaderSize;
    const std::size_t size = wire::encode_hello(
        {payload, wire::kHelloSize}, {.roles = wire::kRoleHost, .mtu = wire::kMinMtu, .credit = 1});
    wire::Header header{.kind = wire::Kind::kHello,
                        .job_key = who.job_key,
                        .source = who.node,
                        .destination = wire::kBroadcast,
                        .epoch = epoch + 1};
    wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(header_at, wire::kHeaderSize), header,
                       {payload, size});
    const std::size_t frame = wire::kHeaderSize + size;
    if (who.encapsulation.transport == wire::Transport::kUdp) {
        const wire::UdpPath path{.source_address = who.address,
                                 .destination_address = UINT32_MAX,
                                 .source_port = wire::udp_source_port(who.node, wire::kBroadcast),
                                 .destination_port = who.encapsulation.udp_port};
        wire::encode_udp(std::span<std::byte, wire::kUdpEnvelopeSize>(out.data(), wire::kUdpEnvelopeSize),
                         wire::kBroadcastMac, who.mac, path, frame);
    } else {
        wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(out.data(), wire::kEthernetSize),
                              wire::kBroadcastMac, who.mac, who.encapsulation.ethertype);
    }
    return at + frame;
}

/// What is readable when the process has ended. What it has forked keeps its connection, and may outlive it.
int life_of(pid_t pid) {
    return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

std::string Desk::Visitor::who() const {
    return program + " (process " + name + ")";
}

void Desk::Visitor::hang_up() noexcept {
    close(socket);
    if (life >= 0) close(life);
}

Desk::Desk(std::string path, Exchange& exchange, Call call, unsigned mtu)
    : path_(std::move(path)),
      exchange_(exchange),
      call_(std::move(call)),
      mtu_(mtu),
      listener_(std::make_unique<Listener>(path_)) {
    wake_ = eventfd(0, EFD_CLOEXEC);
    thread_ = std::thread([this] { run(); });
}

Desk::~Desk() {
    {
        const std::lock_guard lock(mutex_);
        end();
    }
    thread_.join();
    close(wake_);
    for (Visitor& visitor : visitors_)
        see_off(visitor, true);
}

/// Needs the lock. What is under way is the last that the thread does.
void Desk::end() {
    if (std::exchange(ended_, true)) return;
    // Before the listener is closed: until then no other socket can be taken for it.
    listener_->remove_path();
    const std::uint64_t one = 1;
    static_cast<void>(write(wake_, &one, sizeof one));
}

void Desk::run() noexcept {
    std::vector<pollfd> ready;
    for (;;) {
        ready.assign({{wake_, POLLIN, 0}, {listener_->descriptor(), POLLIN, 0}});
        // Only this thread adds and removes visitors: to look at them it needs no lock.
        for (const Visitor& visitor : visitors_) {
            ready.push_back({visitor.socket, POLLIN, 0});
            ready.push_back({visitor.life, POLLIN, 0});
        }
        ::poll(ready.data(), ready.size(), kTickMilliseconds);
        const std::lock_guard lock(mutex_);
        if (ended_) return turn_away();
        std::size_t i = 2;
        std::erase_if(visitors_, [&](Visitor& visitor) {
            const bool speaks = ready[i++].revents != 0;
            const bool ended = ready[i++].revents != 0;
            if (speaks || ended) return !attend(visitor, ended);
            if (visitor.guest || !visitor.patience.is_over()) return false;
            visitor.hang_up();
            return true;
        });
        dismiss_broken();
        if (ready[1].revents != 0) welcome();
    }
}

/// All that are no clients, also those that nobody has listened to yet.
void Desk::turn_away() {
    listener_.reset();
    std::erase_if(visitors_, [](Visitor& visitor) {
        if (!visitor.guest) visitor.hang_up();
        return !visitor.guest;
    });
}

void Desk::welcome() {
    Visitor visitor{
        .socket = accept4(listener_->descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK),
        .patience = runtime::Patience(kPatience)};
    if (visitor.socket < 0) return;
    ucred who{};
    socklen_t size = sizeof who;
    const bool known = getsockopt(visitor.socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    if (!known || is_crowded(who.uid)) {
        refused_.add();
        return visitor.hang_up();
    }
    visitor.pid = who.pid;
    visitor.uid = who.uid;
    visitor.life = life_of(who.pid);
    // It has ended already. Of one that we cannot see, or before Linux 5.3, only its connection tells.
    if (visitor.life < 0 && errno == ESRCH) return visitor.hang_up();
    visitors_.push_back(std::move(visitor));
}

/// That of its process, unless another has it. Those of other pid namespaces are 0 here.
std::string Desk::name_for(pid_t pid) const {
    const std::string first = pid != 0 ? std::to_string(pid) : "unseen";
    std::string name = first;
    for (unsigned n = 2; std::ranges::find(visitors_, name, &Visitor::name) != visitors_.end(); ++n)
        name = first + "-" + std::to_string(n);
    return name;
}

/// No user keeps others out by connections alone.
bool Desk::is_crowded(uid_t user) const {
    const auto strangers = std::ranges::count_if(visitors_, std::not_fn(is_client));
    const auto of_user = std::ranges::count_if(
        visitors_, [user](const Visitor& visitor) { return !is_client(visitor) && visitor.uid == user; });
    return strangers >= kMostStrangers || of_user >= kMostOfUser;
}

/// Returns false when the visitor is gone.
bool Desk::attend(Visitor& visitor, bool ended) {
    if (!visitor.guest) {
        if (!ended && admit(visitor)) return true;
        visitor.hang_up();
        return false;
    }
    Leaving leaving;
    const ssize_t n = recv(visitor.socket, &leaving, sizeof leaving, MSG_DONTWAIT);
    if (!ended && n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    const bool orderly = n == static_cast<ssize_t>(sizeof leaving) && leaving.magic == kMagic;
    (orderly ? left_ : reaped_).add();
    see_off(visitor, orderly);
    return false;
}

bool Desk::admit(Visitor& visitor) {
    std::optional<Received> received = receive_request(visitor.socket);
    if (!received) {
        refused_.add();
        return false;
    }
    Answer answer;
    answer.mtu = mtu_;
    try {
        sign_in(visitor, *received);
        attached_.add();
    } catch (const std::exception& why) {
        answer = Answer::refusal(why.what());
        visitor.guest.reset();
        refused_.add();
    }
    // A client that does not hear it has died: its connection says so next.
    static_cast<void>(send(visitor.socket, &answer, sizeof answer, MSG_NOSIGNAL));
    return visitor.guest != nullptr;
}

/// Throws with the reason when the visitor cannot be a client.
void Desk::sign_in(Visitor& visitor, Received& received) {
    const Identity who = received.request.identity();
    visitor.name = name_for(visitor.pid);
    visitor.program = received.request.program.data();
    visitor.telemetry = received.request.telemetry.data();
    if (const std::string why = objection(visitor, who); !why.empty()) throw std::runtime_error(why);
    runtime::SharedMemory area(received.area.release(), 2 * sizeof(Area));
    runtime::SharedMemory memory(received.memory.release(), kMostMemory);
    visitor.guest = std::make_unique<Guest>(who, std::move(area), std::move(memory));
    call_([&] {
        [[maybe_unused]] const bool attached = exchange_.attach(*visitor.guest);
        assert(attached && "nothing was to be said against it");
    });
}

std::string Desk::objection(const Visitor& visitor, const Identity& who) const {
    rte_ether_addr address{};
    std::copy(who.mac.begin(), who.mac.end(), address.addr_bytes);
    if (rte_is_valid_assigned_ether_addr(&address) == 0)
        return text_of(who.mac) + " is not the address of one station";
    if (std::string why = share::objection(who.encapsulation); !why.empty()) return why;
    if (std::ranges::count_if(visitors_, is_client) == kMaxClients)
        return "it has " + std::to_string(kMaxClients) + " clients, and takes no more";
    for (const Visitor& other : visitors_) {
        if (!other.guest || &other == &visitor) continue;
        const Identity& theirs = other.guest->identity();
        const std::string holder = other.who();
        if (theirs.mac == who.mac) return "the address " + text_of(who.mac) + " is that of " + holder;
        if (same_address(theirs, who)) return "the address " + text_of(who.address) + " is that of " + holder;
        if (theirs.job_key != who.job_key) continue;
        if (theirs.node == who.node)
            return "node " + std::to_string(who.node) + " of this job is " + holder + " already";
        if (other.uid != visitor.uid)
            return "the job key belongs to user " + std::to_string(other.uid) +
                   ", who has clients here; another key has to be used";
        // Or it could say that there are none, to send the tokens of all others.
        const bool both_know = theirs.hosts != Identity::kNoHosts && who.hosts != Identity::kNoHosts;
        if (both_know && theirs.hosts != who.hosts)
            return "the job has " + std::to_string(theirs.hosts) + " hosts, as " + holder +
                   " says, and not " + std::to_string(who.hosts) + "; give both the same topology";
    }
    return {};
}

void Desk::tell_peers(const Guest& guest) {
    if (guest.epoch() == 0) return;
    std::array<std::byte, kHeadSize> frame{};
    const std::size_t size = write_farewell(frame, guest.identity(), guest.epoch());
    exchange_.announce(guest.identity(), std::span(frame).first(size));
}

/// From here on nothing of the node refers to the client's memory, and the client may hear so. Who leaves
/// without a bye, as by exit(1), is gone for its peers as one that was killed; whether the bye has gone on is
/// for the exchange to say, between two of its rounds. When the node has ended nobody would take it further.
void Desk::see_off(Visitor& visitor, bool orderly) {
    if (visitor.guest) {
        call_([&, tells = !ended_] {
            exchange_.detach(*visitor.guest);
            if (tells && !(orderly && visitor.guest->closed())) tell_peers(*visitor.guest);
        });
        visitor.guest.reset();
        const Answer answer;
        static_cast<void>(send(visitor.socket, &answer, sizeof answer, MSG_NOSIGNAL));
    }
    visitor.hang_up();
}

void Desk::dismiss_broken() {
    std::erase_if(visitors_, [this](Visitor& visitor) {
        if (!visitor.guest || visitor.guest->broken() == nullptr) return false;
        trouble_ = visitor.who() + " " + visitor.guest->broken();
        expelled_.add();
        see_off(visitor, false);
        return true;
    });
}

nlohmann::json Desk::clients() const {
    const std::lock_guard lock(mutex_);
    Json all = Json::array();
    for (const Visitor& visitor : visitors_) {
        if (!visitor.guest) continue;
        const Identity& who = visitor.guest->identity();
        const Guest::Counters& counted = visitor.guest->counters();
        all.push_back({{"name", visitor.name},
                       {"program", visitor.program},
                       {"user", visitor.uid},
                       {"node", who.node},
                       {"job_key", who.job_key},
                       {"mac", text_of(who.mac)},
                       {"sent", counted.sent.get()},
                       {"sent_bytes", counted.sent_bytes.get()},
                       {"refused", counted.refused.get()},
                       {"misaddressed", counted.misaddressed.get()},
                       {"received", counted.received.get()},
                       {"received_bytes", counted.received_bytes.get()},
                       {"missed", counted.missed.get()}});
    }
    return all;
}

std::vector<Desk::Client> Desk::whom_to_ask() const {
    const std::lock_guard lock(mutex_);
    std::vector<Client> clients;
    for (const Visitor& visitor : visitors_)
        if (visitor.guest)
            clients.push_back({visitor.name, visitor.pid, visitor.program, visitor.guest->identity().node,
                               visitor.telemetry});
    return clients;
}

bool Desk::close_if_deserted() {
    const std::lock_guard lock(mutex_);
    if (is_deserted()) end();
    return ended_;
}

bool Desk::is_deserted() {
    if (attached_.get() == 0) return first_.is_over();
    return std::ranges::none_of(visitors_, is_client);
}

nlohmann::json Desk::totals() const {
    const std::lock_guard lock(mutex_);
    Json report{{"socket", path_},         {"attached", attached_.get()}, {"left", left_.get()},
                {"reaped", reaped_.get()}, {"expelled", expelled_.get()}, {"refused", refused_.get()}};
    if (!trouble_.empty()) report["last_expelled"] = trouble_;
    return report;
}

}  // namespace isoplane::share
