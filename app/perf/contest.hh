// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "measurement.hh"

namespace isoplane::perf {

/// A transport in a comparison.
class Contestant {
  public:
    explicit Contestant(std::string name) : name_(std::move(name)) {}
    virtual ~Contestant() = default;
    Contestant(const Contestant&) = delete;
    Contestant& operator=(const Contestant&) = delete;

    const std::string& name() const noexcept { return name_; }
    /// Whether it has messages of that size.
    virtual bool carries(std::size_t size) const noexcept = 0;

    /// One ping-pong and one stream of messages of `size` bytes, each as the plan says. Throws
    /// std::runtime_error when messages arrive that were not sent.
    virtual Sample measure(std::size_t size, const Plan& plan) = 0;

  protected:
    [[noreturn]] void refuse_links() const {
        throw std::runtime_error("the two ends of '" + name_ +
                                 "' do not find each other; the links of a pair have to be joined");
    }
    [[noreturn]] void refuse_content(std::size_t size) const {
        throw std::runtime_error("messages of " + std::to_string(size) + " bytes by '" + name_ +
                                 "' arrived with another content than they were sent with");
    }

  private:
    std::string name_;
};

template <Transport End>
class Contest final : public Contestant {
  public:
    Contest(std::string name, Workers& workers, std::unique_ptr<End> a, std::unique_ptr<End> b)
        : Contestant(std::move(name)), workers_(workers), a_(std::move(a)), b_(std::move(b)) {}

    bool carries(std::size_t size) const noexcept override {
        if constexpr (requires { a_->carries(size); }) return a_->carries(size);
        return true;
    }

    Sample measure(std::size_t size, const Plan& plan) override {
        Sample sample;
        auto measurement = std::make_unique<Measurement<End>>(workers_, *a_, *b_, size, plan);
        bool right = measurement->ping_pong(sample);
        if (measurement->unreachable()) refuse_links();
        right &= measurement->stream(sample);
        if (!right && End::kKeepsContent) refuse_content(size);
        return sample;
    }

  private:
    Workers& workers_;
    std::unique_ptr<End> a_;
    std::unique_ptr<End> b_;
};

/// End b sends back what comes.
template <Transport End>
class Relay final : public Contestant {
  public:
    Relay(std::string name, Workers& workers, std::unique_ptr<End> a, std::unique_ptr<End> b)
        : Contestant(std::move(name)), workers_(workers), a_(std::move(a)), b_(std::move(b)) {}

    bool carries(std::size_t /*size*/) const noexcept override { return true; }

    /// The rate only.
    Sample measure(std::size_t size, const Plan& plan) override {
        Sample sample;
        auto measurement = std::make_unique<Measurement<End>>(workers_, *a_, *b_, size, plan);
        const bool right = measurement->circle(sample);
        if (measurement->unreachable()) refuse_links();
        if (!right) refuse_content(size);
        return sample;
    }

  private:
    Workers& workers_;
    std::unique_ptr<End> a_;
    std::unique_ptr<End> b_;
};

}  // namespace isoplane::perf
