// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What there is, and whether it is what somebody asks for.
#include "info.hh"

#include <cstdlib>
#include <cstring>
#include <isoplane/job/settings.hh>
#include <string_view>

#include "address.hh"

namespace isoplane::fi {

namespace {

constexpr std::uint64_t kTransmitCaps =
    FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_READ | FI_WRITE | FI_SEND;
constexpr std::uint64_t kReceiveCaps = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_RECV | FI_REMOTE_READ |
                                       FI_REMOTE_WRITE | FI_MULTI_RECV | FI_SOURCE | FI_DIRECTED_RECV |
                                       FI_RMA_EVENT;
constexpr std::uint64_t kDomainCaps = FI_LOCAL_COMM | FI_REMOTE_COMM;
constexpr std::uint64_t kCaps = kTransmitCaps | kReceiveCaps | kDomainCaps;
constexpr std::uint64_t kTransmitFlags =
    FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_MORE;
constexpr std::uint64_t kReceiveFlags = FI_COMPLETION | FI_MULTI_RECV | FI_MORE;
constexpr std::size_t kMostMessage = std::size_t{1} << 40;
constexpr std::size_t kEndpoints = 8;  // portals::kMostInterfaces

/// Some of what one says is not in what the other has.
constexpr bool exceeds(std::uint64_t asked, std::uint64_t there) {
    return (asked & ~there) != 0;
}

bool fits(const fi_tx_attr& asked) {
    return !exceeds(asked.caps, kCaps) && !exceeds(asked.op_flags, kTransmitFlags) &&
           !exceeds(asked.msg_order, FI_ORDER_SAS) && !exceeds(asked.comp_order, FI_ORDER_NONE) &&
           asked.inject_size <= kInjectSize && asked.size <= kTransmits && asked.iov_limit <= kSegments &&
           asked.rma_iov_limit <= 1;
}

bool fits(const fi_rx_attr& asked) {
    return !exceeds(asked.caps, kCaps) && !exceeds(asked.op_flags, kReceiveFlags) &&
           !exceeds(asked.msg_order, FI_ORDER_SAS) && !exceeds(asked.comp_order, FI_ORDER_NONE) &&
           asked.size <= kReceives && asked.iov_limit <= kSegments;
}

bool fits(const fi_ep_attr& asked) {
    return (asked.type == FI_EP_UNSPEC || asked.type == FI_EP_RDM) && asked.protocol == FI_PROTO_UNSPEC &&
           asked.max_msg_size <= kMostMessage && asked.msg_prefix_size == 0 && asked.tx_ctx_cnt <= 1 &&
           asked.rx_ctx_cnt <= 1 && asked.auth_key_size == 0 && asked.max_order_raw_size == 0 &&
           asked.max_order_war_size == 0 && asked.max_order_waw_size == 0;
}

bool is_ours(const char* name) {
    return name == nullptr || std::string_view(name) == kName;
}

bool fits(const fi_domain_attr& asked) {
    return is_ours(asked.name) && !exceeds(asked.caps, kDomainCaps) && asked.cq_data_size <= kDataSize &&
           asked.mr_key_size <= sizeof(std::uint64_t) && asked.ep_cnt <= kEndpoints &&
           asked.mr_iov_limit <= 1 && asked.max_ep_stx_ctx == 0 && asked.max_ep_srx_ctx == 0 &&
           asked.auth_key_size == 0;
}

/// May be built for a libfabric whose structures end earlier: only what all have is looked at.
bool fits(const fi_info& hints) {
    const fi_fabric_attr* fabric = hints.fabric_attr;
    return !exceeds(hints.caps, kCaps) &&
           (hints.addr_format == FI_FORMAT_UNSPEC || hints.addr_format == kAddressFormat) &&
           (hints.tx_attr == nullptr || fits(*hints.tx_attr)) &&
           (hints.rx_attr == nullptr || fits(*hints.rx_attr)) &&
           (hints.ep_attr == nullptr || fits(*hints.ep_attr)) &&
           (hints.domain_attr == nullptr || fits(*hints.domain_attr)) &&
           (fabric == nullptr || is_ours(fabric->name));
}

/// Programs that are not in a job of ours, and do not ask for us by name, are to find the providers that they
/// have always found.
bool is_asked_for(const fi_info* hints) {
    if (hints != nullptr && hints->fabric_attr != nullptr && hints->fabric_attr->prov_name != nullptr &&
        std::strstr(hints->fabric_attr->prov_name, kName) != nullptr)
        return true;
    for (const char* variable :
         {"FI_PROVIDER", "OMPI_MCA_mtl_ofi_provider_include", "OMPI_MCA_btl_ofi_provider_include",
          "OMPI_MCA_opal_common_ofi_provider_include"}) {
        const char* value = std::getenv(variable);
        if (value != nullptr && std::strstr(value, kName) != nullptr) return true;
    }
    return std::getenv("ISOPLANE_CONFIG") != nullptr || std::getenv("ISOPLANE_LINK") != nullptr;
}

char* copy(const char* text) {
    char* const made = strdup(text);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

int mr_mode(std::uint32_t version, const fi_info* hints) {
    const int asked = hints != nullptr && hints->domain_attr != nullptr ? hints->domain_attr->mr_mode : 0;
    if (asked == FI_MR_BASIC) return FI_MR_BASIC;
    const bool has_words = FI_VERSION_LT(version, FI_VERSION(1, 5)) || asked == FI_MR_SCALABLE;
    return has_words ? FI_MR_SCALABLE : 0;
}

void describe(fi_info& info, std::uint32_t version, const fi_info* hints) {
    const std::uint64_t caps = hints != nullptr && hints->caps != 0 ? hints->caps : kCaps;
    std::uint64_t implied = 0;
    if ((caps & (FI_MSG | FI_TAGGED)) != 0 && (caps & (FI_SEND | FI_RECV)) == 0) implied |= FI_SEND | FI_RECV;
    if ((caps & (FI_RMA | FI_ATOMIC)) != 0 &&
        (caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)) == 0)
        implied |= FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    info.caps = caps | implied | kDomainCaps;
    info.mode = 0;
    info.addr_format = kAddressFormat;
    info.tx_attr->caps = info.caps & kTransmitCaps;
    info.tx_attr->op_flags = hints != nullptr && hints->tx_attr != nullptr ? hints->tx_attr->op_flags : 0;
    info.tx_attr->msg_order = FI_ORDER_SAS;
    info.tx_attr->comp_order = FI_ORDER_NONE;
    info.tx_attr->inject_size = kInjectSize;
    info.tx_attr->size = kTransmits;
    info.tx_attr->iov_limit = kSegments;
    info.tx_attr->rma_iov_limit = 1;
    info.rx_attr->caps = info.caps & kReceiveCaps;
    info.rx_attr->op_flags = hints != nullptr && hints->rx_attr != nullptr ? hints->rx_attr->op_flags : 0;
    info.rx_attr->msg_order = FI_ORDER_SAS;
    info.rx_attr->comp_order = FI_ORDER_NONE;
    info.rx_attr->size = kReceives;
    info.rx_attr->iov_limit = kSegments;
    info.ep_attr->type = FI_EP_RDM;
    info.ep_attr->protocol = FI_PROTO_UNSPEC;
    info.ep_attr->protocol_version = 1;
    info.ep_attr->max_msg_size = kMostMessage;
    info.ep_attr->mem_tag_format = ~std::uint64_t{0};
    info.ep_attr->tx_ctx_cnt = 1;
    info.ep_attr->rx_ctx_cnt = 1;
    fi_domain_attr& domain = *info.domain_attr;
    const fi_domain_attr* const asked = hints != nullptr ? hints->domain_attr : nullptr;
    domain.name = copy(kName);
    domain.threading =
        asked != nullptr && asked->threading != FI_THREAD_UNSPEC ? asked->threading : FI_THREAD_SAFE;
    const auto progress = [](fi_progress wish) {
        return wish == FI_PROGRESS_UNSPEC ? FI_PROGRESS_MANUAL : wish;
    };
    domain.control_progress = FI_PROGRESS_AUTO;
    domain.data_progress = progress(asked != nullptr ? asked->data_progress : FI_PROGRESS_UNSPEC);
    domain.resource_mgmt = FI_RM_ENABLED;
    domain.av_type = asked != nullptr ? asked->av_type : FI_AV_UNSPEC;
    domain.mr_mode = mr_mode(version, hints);
    domain.mr_key_size = sizeof(std::uint64_t);
    domain.cq_data_size = kDataSize;
    domain.cq_cnt = 1024;
    domain.ep_cnt = kEndpoints;
    domain.tx_ctx_cnt = kEndpoints;
    domain.rx_ctx_cnt = kEndpoints;
    domain.max_ep_tx_ctx = 1;
    domain.max_ep_rx_ctx = 1;
    domain.cntr_cnt = 1024;
    domain.mr_iov_limit = 1;
    domain.caps = kDomainCaps;
    domain.mr_cnt = kRegions;
    info.fabric_attr->name = copy(kName);
    info.fabric_attr->prov_version = kProvider.version;
}

void set_address(void*& to, std::size_t& size, const portals::ProcessId& id) {
    to = std::malloc(sizeof(Address));
    if (to == nullptr) throw std::bad_alloc();
    const Address address = Address::of(id);
    std::memcpy(to, &address, sizeof address);
    size = sizeof address;
}

}  // namespace

bool is_basic(const fi_info& info) {
    return info.domain_attr->mr_mode == FI_MR_BASIC;
}

bool parse(const char* node, const char* service, portals::ProcessId& id) {
    char* end = nullptr;
    if (node == nullptr || *node == '\0') return false;
    id.nid = static_cast<portals::Nid>(std::strtoul(node, &end, 10));
    if (*end != '\0') return false;
    id.pid = 1;
    if (service == nullptr || *service == '\0') return true;
    id.pid = static_cast<portals::Pid>(std::strtoul(service, &end, 10));
    return *end == '\0';
}

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** found) {
    if (!is_asked_for(hints) || (hints != nullptr && !fits(*hints))) return -FI_ENODATA;
    portals::ProcessId to{};
    const bool has_target = node != nullptr && (flags & FI_SOURCE) == 0;
    if (has_target && !parse(node, service, to)) return -FI_ENODATA;
    fi_info* const info = fi_allocinfo();
    if (info == nullptr) return -FI_ENOMEM;
    const int result = guarded([&] {
        describe(*info, version, hints);
        if (has_target) set_address(info->dest_addr, info->dest_addrlen, to);
        if (!has_target && hints != nullptr && hints->dest_addr != nullptr &&
            hints->dest_addrlen == sizeof(Address))
            set_address(info->dest_addr, info->dest_addrlen, Address::read(hints->dest_addr).id());
        return 0;
    });
    if (result != 0) {
        fi_freeinfo(info);
        return result;
    }
    *found = info;
    return 0;
}

}  // namespace isoplane::fi
