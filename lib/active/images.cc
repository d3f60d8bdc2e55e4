// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <isoplane/active/images.hh>
#include <isoplane/wire/crc32c.hh>

namespace isoplane::active {

namespace {

/// Compilers begin functions at multiples of it.
constexpr std::size_t kCodeAlign = 16;

/// The description of the note that holds the build id, within a segment of notes; empty when there is none.
std::span<const std::byte> build_id_in(std::span<const std::byte> notes) {
    constexpr std::size_t kAlign = 4;
    const auto padded = [](std::size_t size) { return (size + kAlign - 1) & ~(kAlign - 1); };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes.data(), sizeof note);
        const std::size_t at = sizeof note + padded(note.n_namesz);
        const std::size_t size = at + padded(note.n_descsz);
        if (size > notes.size()) break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            std::memcmp(notes.data() + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
            return notes.subspan(at, note.n_descsz);
        notes = notes.subspan(size);
    }
    return {};
}

std::span<const std::byte> segment(const dl_phdr_info& file, const ElfW(Phdr) & header) {
    return {reinterpret_cast<const std::byte*>(file.dlpi_addr + header.p_vaddr), header.p_memsz};
}

int add_file(dl_phdr_info* file, std::size_t /*size*/, void* images) {
    const std::span headers(file->dlpi_phdr, file->dlpi_phnum);
    std::span<const std::byte> build_id;
    for (const ElfW(Phdr) & header : headers) {
        if (header.p_type == PT_NOTE && build_id.empty()) build_id = build_id_in(segment(*file, header));
    }
    for (const ElfW(Phdr) & header : headers) {
        if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
        const std::span<const std::byte> code = segment(*file, header);
        const auto begin = reinterpret_cast<std::uintptr_t>(code.data());
        // A file that was linked without a build id is what its code is: it is not written to when loaded.
        const bool readable = (header.p_flags & PF_R) != 0;
        if (build_id.empty() && !readable) continue;
        static_cast<std::vector<Image>*>(images)->push_back(
            {.id = image_id(build_id.empty() ? code : build_id),
             .base = file->dlpi_addr,
             .begin = begin,
             .end = begin + code.size()});
    }
    return 0;
}

std::vector<Image> images_of_process() {
    std::vector<Image> images;
    dl_iterate_phdr(add_file, &images);
    return images;
}

}  // namespace

std::uint32_t image_id(std::span<const std::byte> build_id) noexcept {
    return wire::crc32c(build_id);
}

Images::Images() : images_(images_of_process()), of_process_(true) {}

/// Once more when a library may have been opened since.
template <typename Is>
const Image* Images::look_for(Is&& is_it) noexcept {
    for (bool again = of_process_;; again = false) {
        const auto found = std::ranges::find_if(images_, is_it);
        if (found != images_.end()) return &*found;
        if (!again) return nullptr;
        images_ = images_of_process();
    }
}

std::optional<FunctionName> Images::name_of(const void* function) noexcept {
    if (function == nullptr) return std::nullopt;
    const auto at = reinterpret_cast<std::uintptr_t>(function);
    Known& known = by_place_[at / kCodeAlign % kKnown];
    if (known.at != function) [[unlikely]] {
        const Image* image =
            look_for([at](const Image& candidate) { return at >= candidate.begin && at < candidate.end; });
        if (image == nullptr || at - image->base > UINT32_MAX) return std::nullopt;
        known = {{image->id, static_cast<std::uint32_t>(at - image->base)}, function};
    }
    return known.name;
}

const void* Images::find(FunctionName name) noexcept {
    Known& known = by_name_[name.offset / kCodeAlign % kKnown];
    if (known.at == nullptr || known.name != name) [[unlikely]] {
        const Image* image = look_for([name](const Image& candidate) {
            const std::uintptr_t at = candidate.base + name.offset;
            return candidate.id == name.image && at >= candidate.begin && at < candidate.end;
        });
        if (image == nullptr) return nullptr;
        known = {name, reinterpret_cast<const void*>(image->base + name.offset)};
    }
    return known.at;
}

}  // namespace isoplane::active
