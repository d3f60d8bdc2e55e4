// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "capture_files.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace isoplane::runtime {

namespace {

std::string numbered(const std::string& file, std::uint64_t number) {
    const std::filesystem::path path(file);
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "-%05llu", static_cast<unsigned long long>(number));
    std::filesystem::path made = path.parent_path() / path.stem();
    made += text.data();
    made += path.extension();
    return made.string();
}

}  // namespace

CaptureFiles::CaptureFiles(std::string file, std::uint64_t size, unsigned kept, std::string section)
    : file_(std::move(file)), most_(size), kept_(kept), preamble_(std::move(section)) {
    open();
    if (!error_.empty()) throw std::runtime_error(error_);
}

CaptureFiles::~CaptureFiles() {
    close();
}

void CaptureFiles::open() {
    current_ = most_ == 0 ? file_ : numbered(file_, begun_ + 1);
    fd_ = ::open(current_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    size_ = 0;
    if (fd_ < 0) {
        error_ = "cannot capture to '" + current_ + "': " + std::strerror(errno) +
                 "; name a file in a directory you may write to";
        return;
    }
    ++begun_;
    if (put(preamble_)) return;
    error_ = "cannot capture to '" + current_ + "': its header could not be written; is the disk full?";
    ::close(std::exchange(fd_, -1));
}

void CaptureFiles::begin_with(const std::string& block) {
    preamble_ += block;
    const std::array<std::size_t, 1> end{block.size()};
    write(block, end);
}

void CaptureFiles::begin_next() {
    close();
    if (!error_.empty()) return;
    older_.push_back(current_);
    for (; kept_ != 0 && older_.size() >= kept_; older_.pop_front())
        unlink(older_.front().c_str());
    open();
}

bool CaptureFiles::put(const std::string& bytes) {
    if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return false;
    size_ += bytes.size();
    return true;
}

std::size_t CaptureFiles::write(const std::string& blocks, std::span<const std::size_t> ends) {
    if (!error_.empty()) return 0;
    const ssize_t taken = ::write(fd_, blocks.data(), blocks.size());
    if (taken == static_cast<ssize_t>(blocks.size())) {
        size_ += blocks.size();
        return ends.size();
    }
    // A disk that fills up takes a part and does not say why; the next byte learns it.
    const bool told = taken < 0 || ::write(fd_, "", 1) < 0;
    error_ = "cannot write to '" + current_ + "': " + (told ? std::strerror(errno) : "only a part was taken");
    const auto whole = static_cast<std::size_t>(
        std::upper_bound(ends.begin(), ends.end(), static_cast<std::size_t>(std::max<ssize_t>(taken, 0))) -
        ends.begin());
    // The file is to end with a whole block all the same.
    size_ += whole == 0 ? 0 : ends[whole - 1];
    if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) error_ += "; its last packet is cut short";
    return whole;
}

void CaptureFiles::close() {
    if (fd_ < 0) return;
    // Some file systems report a full disk only here.
    if (::close(std::exchange(fd_, -1)) != 0 && error_.empty())
        error_ = "cannot write to '" + current_ + "': " + std::strerror(errno);
}

}  // namespace isoplane::runtime
