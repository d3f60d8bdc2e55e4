// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// How endpoints begin and end, and what is bound to them.
#include "endpoint.hh"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <isoplane/niu/epoch.hh>
#include <isoplane/runtime/poll_watch.hh>

#include "calls.hh"

namespace isoplane::fi {

using namespace portals;

namespace {

static_assert(kTransmits + kReceives + kRegions <= kMostObjects - kMostObjects / 4);

/// What others still have of an endpoint of before, of this process or of one that was here earlier, is not
/// to mean anything of this one, which may have its number and its pid.
std::atomic<std::uint32_t>& next_generation() {
    static std::atomic<std::uint32_t> next{niu::epoch_now()};
    return next;
}

/// An entry that takes nothing of a message, and gives nothing, but answers. kInvalid when there is no room.
Handle refuse_all(Interface& interface, Portal portal) {
    static std::byte nothing;
    const MdSpec spec{.start = &nothing,
                      .length = 0,
                      .threshold = kInfinite,
                      .max_size = 0,
                      .options = kOpPut | kOpGet | kTruncate,
                      .user_ptr = nullptr,
                      .eq = kNoQueue};
    const MatchSpec any{.id = kAnyone, .bits = 0, .ignore = ~Bits{0}, .unlink = Unlink::kRetain};
    Handle entry = kInvalid;
    Handle md = kInvalid;
    const bool is_there = interface.attach_entry(portal, any, Position::kAfter, entry) == Status::kOk &&
                          interface.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md) == Status::kOk;
    return is_there ? entry : kInvalid;
}

}  // namespace

Endpoint::Endpoint(Domain& domain, const fi_info& info)
    : fid_ep{},
      domain_(domain),
      caps_(info.caps),
      transmit_flags_(info.tx_attr != nullptr ? info.tx_attr->op_flags : 0),
      receive_flags_(info.rx_attr != nullptr ? info.rx_attr->op_flags : 0),
      generation_(next_generation().load(std::memory_order_relaxed)),
      operations_(Kind::kInterface, 0, kTransmits, generation_),
      answers_(Kind::kEntry, 0, kTransmits, generation_),
      receives_(Kind::kDescriptor, 0, kReceives, generation_) {}

/// What was sent is to arrive, though its user does not ask any more; unless it cannot.
Endpoint::~Endpoint() {
    if (interface_ == nullptr) return;
    constexpr auto kLimit = std::chrono::seconds(10);
    runtime::Patience patience(kLimit);
    for (;;) {
        const Network::Guard guard(network().lock());
        if (network().is_over()) {
            domain_.remove(*this);
            network().keep(std::move(interface_));
            return;
        }
        decline_all();
        if ((is_quiet() && network().all_arrived()) || patience.is_over()) {
            leave();
            return;
        }
        network().progress();
    }
}

void Endpoint::leave() {
    network().remove(*this);
    domain_.remove(*this);
    next_generation() =
        std::max({next_generation().load(std::memory_order_relaxed), interface_->next_generation(),
                  operations_.next_generation(), answers_.next_generation(), receives_.next_generation()});
    interface_->close();
    network().give_back_number(number_, replacement());
}

/// Who asks for something that has gone with this endpoint is not to wait for it: what answers takes nothing,
/// has nothing, and says by its job id that it is nobody. nullptr when there is no room for it.
std::unique_ptr<Interface> Endpoint::replacement() const {
    auto made = std::make_unique<Interface>(
        number_, domain_.network().nal(),
        Options{.limits = {.max_pt_index = kResults}, .uid = geteuid(), .jid = kClosed, .is_locked = true});
    if (made->open(interface_->id().pid) != Status::kOk) return nullptr;
    for (const Portal portal : {kMessages, kTagged, kOffers, kMemory, kRequests})
        if (refuse_all(*made, portal) == kInvalid) return nullptr;
    return made;
}

/// Nothing more is received, and who offers something is not to wait for that. What is being written, or
/// read, stays.
void Endpoint::decline_all() {
    look();
    std::erase_if(regions_, [this](const auto& its) { return has_unlinked(its.second); });
    receives_.for_each([this](Receive& receive) {
        if (!receive.is_fetching && has_unlinked(receive.md)) receives_.give_back(receive);
    });
    for (Shelved* list : {&shelved_[0], &shelved_[1], &claimed_, &promised_}) {
        for (auto at = list->begin(); at != list->end();) {
            const auto its = at++;
            if (!its->is_arriving) drop(*list, its, Refusal::kGone);
        }
    }
}

bool Endpoint::is_quiet() {
    bool quiet = answers_.live() == 0 && receives_.live() == 0 && regions_.empty() && shelved_[0].empty() &&
                 shelved_[1].empty() && claimed_.empty() && promised_.empty();
    operations_.for_each([&quiet](const Operation& operation) { quiet = quiet && operation.has_left; });
    return quiet;
}

int Endpoint::bind(CompletionQueue& queue, std::uint64_t flags) {
    const bool is_selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
    if ((flags & FI_TRANSMIT) != 0) {
        sends_ = &queue;
        selective_sends_ = is_selective;
    }
    if ((flags & FI_RECV) != 0) {
        receives_to_ = &queue;
        selective_receives_ = is_selective;
    }
    return (flags & (FI_TRANSMIT | FI_RECV)) != 0 ? 0 : -FI_EINVAL;
}

int Endpoint::bind(Counter& counter, std::uint64_t flags) {
    if ((flags & FI_SEND) != 0) counters_.send = &counter;
    if ((flags & FI_RECV) != 0) counters_.receive = &counter;
    if ((flags & FI_READ) != 0) counters_.read = &counter;
    if ((flags & FI_WRITE) != 0) counters_.write = &counter;
    if ((flags & FI_REMOTE_READ) != 0) counters_.remote_read = &counter;
    if ((flags & FI_REMOTE_WRITE) != 0) counters_.remote_write = &counter;
    return 0;
}

int Endpoint::enable() {
    if (vector_ == nullptr) return -FI_ENOAV;
    const Network::Guard guard(network().lock());
    number_ = network().free_number();
    if (number_ >= kMostInterfaces) return -FI_ENOSPC;
    network().free_pid(number_);
    auto made = std::make_unique<Interface>(number_, network().nal(),
                                            Options{.limits = {.max_pt_index = kResults},
                                                    .uid = geteuid(),
                                                    .generation = generation_,
                                                    .is_locked = true});
    constexpr Size kEvents = Size{1} << 18;
    if (made->open(kAny) != Status::kOk || made->open_queue(kEvents, nullptr, queue_) != Status::kOk)
        return -FI_ENOSPC;

    // From its second byte, as a descriptor has no place for the first.
    const MdSpec all{.start = reinterpret_cast<void*>(std::uintptr_t{1}),
                     .length = UINTPTR_MAX - 1,
                     .threshold = kInfinite,
                     .max_size = 0,
                     .options = kStartDisable,
                     .user_ptr = mark(Owner::kNobody, 0),
                     .eq = queue_};
    if (made->bind(all, Unlink::kRetain, all_memory_) != Status::kOk) return -FI_ENOSPC;
    // Who asks for an offer that has gone is to hear so, too.
    refuses_ = refuse_all(*made, kMemory);
    if (refuses_ == kInvalid || refuse_all(*made, kOffers) == kInvalid) return -FI_ENOSPC;
    for (const Portal portal : {kMessages, kTagged, kRequests})
        if (shelf(portal).open(*made, portal, queue_, network().most_at_once(), portal != kRequests) !=
            Status::kOk)
            return -FI_ENOSPC;
    interface_ = std::move(made);
    bool all_offered = true;
    domain_.regions().for_each([&](Region& region) { all_offered = all_offered && offer(region); });
    if (!all_offered) {
        regions_.clear();
        interface_.reset();
        return -FI_ENOSPC;
    }
    network().take_number(number_);
    network().add(*this);
    domain_.add(*this);
    return 0;
}

bool Endpoint::offer(Region& region) {
    unsigned options = kManageRemote | kStartDisable;
    if ((region.access & FI_REMOTE_WRITE) != 0) options |= kOpPut;
    if ((region.access & FI_REMOTE_READ) != 0) options |= kOpGet;
    const MdSpec spec{.start = region.memory.iov_base,
                      .length = region.memory.iov_len,
                      .threshold = kInfinite,
                      .max_size = 0,
                      .options = options,
                      .user_ptr = mark(Owner::kRegion, region.number),
                      .eq = queue_};
    Handle entry = kInvalid;
    Handle md = kInvalid;
    const MatchSpec its{.id = kAnyone, .bits = region.key, .ignore = 0, .unlink = Unlink::kUnlink};
    if (interface_->post(refuses_, its, Position::kBefore, spec, Unlink::kRetain, kNoQueue, entry, md) !=
        Status::kOk)
        return false;
    regions_.emplace_back(region.number, md);
    return true;
}

bool Endpoint::withdraw(const Region& region) {
    const auto at = std::find_if(regions_.begin(), regions_.end(),
                                 [&](const auto& its) { return its.first == region.number; });
    if (at == regions_.end()) return true;
    if (!has_unlinked(at->second)) return false;
    regions_.erase(at);
    return true;
}

/// False: somebody reads it, or writes to it.
bool Endpoint::has_unlinked(Handle md) {
    return interface_->unlink(md) != Status::kMdInUse;
}

ProcessId Endpoint::process(fi_addr_t address) const noexcept {
    return vector_->find(address);
}

namespace {

int close(fid* its) {
    Endpoint& endpoint = object<Endpoint>(its);
    endpoint.domain().release();
    delete &endpoint;
    return 0;
}

int bind(fid* its, fid* other, std::uint64_t flags) {
    Endpoint& endpoint = object<Endpoint>(its);
    if (endpoint.is_enabled()) return -FI_EOPBADSTATE;
    switch (other->fclass) {
        case FI_CLASS_AV:
            endpoint.bind(object<AddressVector>(other));
            return 0;
        case FI_CLASS_CQ:
            return endpoint.bind(object<CompletionQueue>(other), flags);
        case FI_CLASS_CNTR:
            return endpoint.bind(object<Counter>(other), flags);
        case FI_CLASS_EQ:
            return 0;
        default:
            return -FI_EINVAL;
    }
}

int control(fid* its, int command, void*) {
    Endpoint& endpoint = object<Endpoint>(its);
    if (command != FI_ENABLE) return -FI_ENOSYS;
    if (endpoint.is_enabled()) return 0;
    return guarded([&] { return endpoint.enable(); });
}

ssize_t cancel(fid_t its, void* context) {
    Endpoint& endpoint = object<Endpoint>(its);
    const Network::Guard guard(endpoint.network().lock());
    return endpoint.cancel(context);
}

int get_option(fid_t its, int level, int name, void* value, std::size_t* size) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
    if (*size < sizeof(std::size_t)) return -FI_ETOOSMALL;
    const std::size_t room = object<Endpoint>(its).least_room();
    std::memcpy(value, &room, sizeof room);
    *size = sizeof room;
    return 0;
}

int set_option(fid_t its, int level, int name, const void* value, std::size_t size) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
    std::size_t room = 0;
    if (size != sizeof room) return -FI_EINVAL;
    std::memcpy(&room, value, sizeof room);
    object<Endpoint>(its).set_least_room(room);
    return 0;
}

int get_name(fid_t its, void* to, std::size_t* size) {
    const Endpoint& endpoint = object<Endpoint>(its);
    if (!endpoint.is_enabled()) return -FI_EOPBADSTATE;
    const Address address = Address::of(endpoint.id());
    const std::size_t room = std::exchange(*size, sizeof address);
    if (to != nullptr) std::memcpy(to, &address, std::min(room, sizeof address));
    return room < sizeof address ? -FI_ETOOSMALL : 0;
}

fi_ops kFidOps = fid_ops(close, bind, control);
fi_ops_ep kOps{.size = sizeof(fi_ops_ep),
               .cancel = cancel,
               .getopt = get_option,
               .setopt = set_option,
               .tx_ctx = kUnsupported,
               .rx_ctx = kUnsupported,
               .rx_size_left = kUnsupported,
               .tx_size_left = kUnsupported};
fi_ops_cm kNames{.size = sizeof(fi_ops_cm),
                 .setname = kUnsupported,
                 .getname = get_name,
                 .getpeer = kUnsupported,
                 .connect = kUnsupported,
                 .listen = kUnsupported,
                 .accept = kUnsupported,
                 .reject = kUnsupported,
                 .shutdown = kUnsupported,
                 .join = kUnsupported};

}  // namespace

int open_endpoint(fid_domain* its, fi_info* info, fid_ep** opened, void* context) {
    if (info == nullptr || (info->ep_attr != nullptr && info->ep_attr->type != FI_EP_RDM)) return -FI_EINVAL;
    Domain& domain = object<Domain>(its);
    return guarded([&] {
        auto* const endpoint = new Endpoint(domain, *info);
        endpoint->fid = {FI_CLASS_EP, context, &kFidOps};
        endpoint->ops = &kOps;
        endpoint->cm = &kNames;
        endpoint->msg = message_calls();
        endpoint->tagged = tagged_calls();
        endpoint->rma = remote_calls();
        endpoint->atomic = atomic_calls();
        domain.hold();
        *opened = endpoint;
        return 0;
    });
}

}  // namespace isoplane::fi
