// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <boost/program_options/options_description.hpp>
#include <functional>
#include <isoplane/job/job.hh>
#include <stdexcept>
#include <string>

/// What the examples share: options, a place in the job, and an end with a verdict. What is to be learned
/// from an example stands in its own file.
namespace isoplane::example {

/// What an example has found is not what it has to be: says so in a sentence.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A host of the job. One thread makes all calls.
class Host {
  public:
    /// Waits for the others. Pages 1 to `pages` have the copysets that `copyset` says (page, hosts): page 0
    /// is everywhere, and for meet().
    Host(std::uint32_t pages, const std::function<std::string(std::uint32_t, std::uint32_t)>& copyset);

    std::uint32_t node() const { return job_.node(); }
    std::uint32_t nodes() const { return static_cast<std::uint32_t>(job_.size()); }
    /// The address of a word on a page.
    static constexpr shmem::Address word(std::uint32_t page, std::uint32_t number) {
        return page * shmem::kDefaultPageWords + number;
    }

    shmem::Isochron isochron() { return job_.memory().isochron(); }
    /// Waits until it can go, not until it is executed.
    void issue(shmem::Isochron& isochron);
    /// Waits for it.
    void wait(const shmem::AnyFuture& future);
    template <shmem::Shareable T>
    T value(const shmem::Future<T>& future) {
        wait(future);
        return future.value();
    }
    /// Waits until all hosts are here. Who issues something then finds done all that others issued before.
    void meet();
    /// Leaves together with all others.
    void leave();

  private:
    void poll();

    job::Job job_;
    std::uint32_t meetings_ = 0;
    unsigned polls_ = 0;
};

/// Copysets. A page at all hosts: reads are local, and writes go everywhere.
std::string everywhere(std::uint32_t page, std::uint32_t hosts);
/// At two hosts that are neighbours, others for each page.
std::string at_two(std::uint32_t page, std::uint32_t hosts);

struct About {
    const char* name;
    const char* text;     ///< what it does, for --help
    std::uint32_t pages;  ///< and who has copies of them
    std::string (*copyset)(std::uint32_t page, std::uint32_t hosts);
    std::uint32_t least_nodes = 1;
};

/// A whole number from 1 to `most`.
void add_number(boost::program_options::options_description& options, const char* name, unsigned& value,
                unsigned most, const char* text);

/// Reads the options, joins the job, and has the example do what it does on this host. Returns the exit code:
/// 0; 1 when something went or is wrong, after a sentence; 2 for wrong usage.
int run(int argc, char** argv, const About& about, boost::program_options::options_description& options,
        const std::function<void(Host&)>& example);

}  // namespace isoplane::example
