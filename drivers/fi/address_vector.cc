// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "address_vector.hh"

#include <algorithm>
#include <cstdlib>

#include "info.hh"

namespace isoplane::fi {

fi_addr_t AddressVector::insert(const portals::ProcessId& id) {
    fi_addr_t name = word(id);
    if (is_table_ && free_.empty()) {
        name = table_.size();
        table_.push_back(id);
    } else if (is_table_) {
        name = free_.extract(free_.begin()).value();
        table_[name] = id;
    }
    names_.try_emplace(word(id), name);
    return name;
}

bool AddressVector::remove(fi_addr_t address) {
    const portals::ProcessId id = find(address);
    if (id == portals::kAnyone) return false;
    if (is_table_) {
        table_[address] = portals::kAnyone;
        free_.insert(address);
    }
    const auto at = names_.find(word(id));
    if (at == names_.end() || at->second != address) return true;
    // It may stand in the table more than once.
    const auto other = std::find(table_.begin(), table_.end(), id);
    if (other != table_.end())
        at->second = static_cast<fi_addr_t>(other - table_.begin());
    else
        names_.erase(at);
    return true;
}

portals::ProcessId AddressVector::find(fi_addr_t address) const noexcept {
    if (is_table_) return address < table_.size() ? table_[address] : portals::kAnyone;
    return {static_cast<portals::Nid>(address >> 32), static_cast<portals::Pid>(address)};
}

fi_addr_t AddressVector::name_of(const portals::ProcessId& id) const noexcept {
    const auto at = names_.find(word(id));
    return at != names_.end() ? at->second : FI_ADDR_NOTAVAIL;
}

namespace {

int insert(fid_av* its, const void* addresses, std::size_t count, fi_addr_t* names, std::uint64_t flags,
           void* context) {
    AddressVector& vector = object<AddressVector>(its);
    if ((flags & FI_SYNC_ERR) != 0) std::fill_n(static_cast<int*>(context), count, 0);
    return guarded([&] {
        const Network::Guard guard(vector.domain().network().lock());
        for (std::size_t i = 0; i < count; ++i) {
            const auto* const at = static_cast<const std::byte*>(addresses) + i * sizeof(Address);
            const fi_addr_t name = vector.insert(Address::read(at).id());
            if (names != nullptr) names[i] = name;
        }
        return static_cast<int>(count);
    });
}

int insert_by_words(fid_av* its, const char* node, const char* service, fi_addr_t* name, std::uint64_t flags,
                    void* context) {
    portals::ProcessId id{};
    if (!parse(node, service, id)) return -FI_EINVAL;
    const Address address = Address::of(id);
    return insert(its, &address, 1, name, flags, context);
}

int remove(fid_av* its, fi_addr_t* names, std::size_t count, std::uint64_t) {
    AddressVector& vector = object<AddressVector>(its);
    const Network::Guard guard(vector.domain().network().lock());
    bool all = true;
    for (std::size_t i = 0; i < count; ++i)
        all = vector.remove(names[i]) && all;
    return all ? 0 : -FI_EINVAL;
}

int look_up(fid_av* its, fi_addr_t name, void* to, std::size_t* size) {
    AddressVector& vector = object<AddressVector>(its);
    const Network::Guard guard(vector.domain().network().lock());
    const portals::ProcessId id = vector.find(name);
    if (id == portals::kAnyone) return -FI_EINVAL;
    const Address address = Address::of(id);
    std::memcpy(to, &address, std::min(*size, sizeof address));
    *size = sizeof address;
    return 0;
}

const char* text(fid_av*, const void* address, char* buffer, std::size_t* size) {
    const std::string words = text_of(Address::read(address).id());
    if (*size != 0) {
        const std::size_t length = std::min(words.size(), *size - 1);
        std::memcpy(buffer, words.data(), length);
        buffer[length] = '\0';
    }
    *size = words.size() + 1;
    return buffer;
}

int close(fid* its) {
    AddressVector& vector = object<AddressVector>(its);
    if (vector.is_held()) return -FI_EBUSY;
    vector.domain().release();
    delete &vector;
    return 0;
}

fi_ops kFidOps = fid_ops(close);
fi_ops_av kOps{.size = sizeof(fi_ops_av),
               .insert = insert,
               .insertsvc = insert_by_words,
               .insertsym = kUnsupported,
               .remove = remove,
               .lookup = look_up,
               .straddr = text,
               .av_set = kUnsupported};

}  // namespace

/// Shared ones (a name), and those that tell of insertions by events, there are not.
int open_address_vector(fid_domain* its, fi_av_attr* attributes, fid_av** opened, void* context) {
    if (attributes != nullptr && (attributes->name != nullptr || attributes->rx_ctx_bits != 0 ||
                                  (attributes->flags & ~FI_SYMMETRIC) != 0))
        return -FI_ENOSYS;
    Domain& domain = object<Domain>(its);
    return guarded([&] {
        const bool is_map = attributes != nullptr && attributes->type == FI_AV_MAP;
        auto* const vector = new AddressVector(domain, !is_map);
        vector->fid = {FI_CLASS_AV, context, &kFidOps};
        vector->ops = &kOps;
        if (attributes != nullptr) attributes->type = is_map ? FI_AV_MAP : FI_AV_TABLE;
        domain.hold();
        *opened = vector;
        return 0;
    });
}

}  // namespace isoplane::fi
