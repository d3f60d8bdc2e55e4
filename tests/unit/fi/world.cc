// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "world.hh"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace isoplane::fi_test {

namespace {

/// One for the process, as it has one place in one job: unless the environment says another.
void take_place() {
    static const bool taken = [] {
        setenv("FI_PROVIDER_PATH", ISOPLANE_PROVIDER_PATH, 1);
        if (getenv("ISOPLANE_CONFIG") != nullptr) return true;
        namespace fs = std::filesystem;
        std::string pattern = (fs::temp_directory_path() / "isoplane-fi-test-XXXXXX").string();
        const fs::path directory = mkdtemp(pattern.data());
        std::ofstream(directory / "fmconfig") << "0 alone\n";
        std::ofstream(directory / "node.conf") << "id=0\njob-key=7\nlink=null:\nfmconfig=fmconfig\n";
        setenv("ISOPLANE_CONFIG", (directory / "node.conf").c_str(), 1);
        static const std::string its = directory;
        std::atexit([] { fs::remove_all(its); });
        return true;
    }();
    static_cast<void>(taken);
}

}  // namespace

Info get_info(const std::function<void(fi_info&)>& hint, std::uint32_t version) {
    take_place();
    const Info hints(fi_allocinfo());
    hints->fabric_attr->prov_name = strdup("isoplane");
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode = FI_MR_SCALABLE;
    hint(*hints);
    fi_info* found = nullptr;
    return fi_getinfo(version, nullptr, nullptr, 0, hints.get(), &found) == 0 ? Info(found) : nullptr;
}

fi_cq_tagged_entry End::next(fi_addr_t* from) {
    fi_cq_tagged_entry entry{};
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    const ssize_t got = fi_cq_sreadfrom(queue.get(), &entry, 1, &source, nullptr, 20000);
    if (got == -FI_EAVAIL) {
        fi_cq_err_entry error{};
        fi_cq_readerr(queue.get(), &error, 0);
        ADD_FAILURE() << "a completion is an error: " << fi_strerror(error.err);
    }
    EXPECT_EQ(got, 1);
    if (from != nullptr) *from = source;
    return entry;
}

fi_cq_err_entry End::next_error() {
    fi_cq_tagged_entry entry{};
    fi_cq_err_entry error{};
    EXPECT_EQ(fi_cq_sread(queue.get(), &entry, 1, nullptr, 20000), -FI_EAVAIL);
    EXPECT_EQ(fi_cq_readerr(queue.get(), &error, 0), 1);
    return error;
}

bool End::is_quiet() {
    fi_cq_tagged_entry entry{};
    for (int i = 0; i < 50; ++i)
        if (fi_cq_read(queue.get(), &entry, 1) != -FI_EAGAIN) return false;
    return true;
}

World::World(const Wish& wish)
    : info(get_info([&wish](fi_info& hints) {
          hints.domain_attr->av_type = wish.vector;
          hints.domain_attr->mr_mode = wish.mr_mode != 0 ? wish.mr_mode : FI_MR_SCALABLE;
          hints.domain_attr->data_progress = wish.progress;
          hints.caps = wish.caps;
      })) {
    if (info == nullptr) throw std::runtime_error("the provider is not there");
    const auto check = [](int result) {
        if (result != 0) throw std::runtime_error(fi_strerror(-result));
    };
    fid_fabric* new_fabric = nullptr;
    check(fi_fabric(info->fabric_attr, &new_fabric, nullptr));
    fabric.reset(new_fabric);
    fid_domain* new_domain = nullptr;
    check(fi_domain(fabric.get(), info.get(), &new_domain, nullptr));
    domain.reset(new_domain);
    fi_av_attr attributes{};
    attributes.type = wish.vector;
    fid_av* new_vector = nullptr;
    check(fi_av_open(domain.get(), &attributes, &new_vector, nullptr));
    vector.reset(new_vector);
    a = open_end(wish);
    b = open_end(wish);
}

End World::open_end(const Wish& wish) {
    End end;
    fi_cq_attr attributes{};
    attributes.format = FI_CQ_FORMAT_TAGGED;
    attributes.wait_obj = wish.wait;
    fid_cq* queue = nullptr;
    EXPECT_EQ(fi_cq_open(domain.get(), &attributes, &queue, nullptr), 0);
    end.queue.reset(queue);
    end.endpoint = endpoint();
    EXPECT_EQ(fi_ep_bind(end.endpoint.get(), &vector->fid, 0), 0);
    EXPECT_EQ(fi_ep_bind(end.endpoint.get(), &queue->fid, FI_TRANSMIT | FI_RECV | wish.bind), 0);
    EXPECT_EQ(fi_enable(end.endpoint.get()), 0);
    std::uint8_t name[64];
    std::size_t size = sizeof name;
    EXPECT_EQ(fi_getname(&end.endpoint->fid, name, &size), 0);
    EXPECT_EQ(fi_av_insert(vector.get(), name, 1, &end.address, 0, nullptr), 1);
    return end;
}

Owned<fid_ep> World::endpoint() {
    fid_ep* made = nullptr;
    EXPECT_EQ(fi_endpoint(domain.get(), info.get(), &made, nullptr), 0);
    return Owned<fid_ep>(made);
}

void World::until(const std::function<bool()>& done) {
    while (!done()) {
        fi_cq_read(a.queue.get(), nullptr, 0);
    }
}

Owned<fid_mr> World::offer(void* memory, std::size_t size, std::uint64_t key, std::uint64_t access) {
    fid_mr* region = nullptr;
    EXPECT_EQ(fi_mr_reg(domain.get(), memory, size, access, 0, key, 0, &region, nullptr), 0);
    return Owned<fid_mr>(region);
}

Owned<fid_cntr> World::counter() {
    fi_cntr_attr attributes{};
    attributes.events = FI_CNTR_EVENTS_COMP;
    fid_cntr* counter = nullptr;
    EXPECT_EQ(fi_cntr_open(domain.get(), &attributes, &counter, nullptr), 0);
    return Owned<fid_cntr>(counter);
}

std::vector<std::uint8_t> content(std::size_t size, unsigned seed) {
    std::vector<std::uint8_t> data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = static_cast<std::uint8_t>(seed * 31 + i * 7 + i / 251);
    return data;
}

}  // namespace isoplane::fi_test
