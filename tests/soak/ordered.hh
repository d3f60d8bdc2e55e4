// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstring>
#include <deque>
#include <numeric>

#include "part.hh"

namespace isoplane::soak {

/// Logical time: isochrons that carry a message to each host and move money between accounts of shared
/// memory. All hosts receive the messages in the same order, and whoever reads all accounts finds the same
/// sum. Signals and barriers come in between, at the same place for all: a barrier after all that was issued
/// before it was entered, and before all that was issued when it was complete.
class Ordered final : public Part {
  public:
    static constexpr std::uint32_t kPages = 4;  ///< of accounts, each at two hosts

    explicit Ordered(job::Job& job) : Part(job, "isochrons") {
        job_.isotach().register_signal(kSignal);
        job_.isotach().join_barrier(kBarrier, isotach::BarrierMode::kStrong);
        while (!job_.isotach().group_knows())
            job_.poll();
    }

    /// Page p is at hosts p and p + 1.
    static std::string map(std::size_t hosts) {
        std::string text;
        for (std::uint32_t page = 0; page < kPages; ++page) {
            text += std::to_string(page) + ": " + std::to_string(page % hosts);
            if (hosts > 1) text += ", " + std::to_string((page + 1) % hosts);
            text += ";\n";
        }
        return text;
    }

    void act(NodeId /*to*/, Random& random) override {
        shmem::Memory& memory = job_.memory();
        if (audits_.size() < kAudits && random() % 32 == 0) return audit();
        if (random() % 64 == 0) job_.isotach().send_signal(kSignal);
        if (random() % 64 == 0 && job_.isotach().enter_barrier(kBarrier)) ++entered_;
        if (memory.issued() - memory.executed() >= kUnderWay) return;
        shmem::Isochron isochron = memory.isochron();
        const std::uint64_t number = next(0);
        std::vector<std::byte> message(kHead + random() % 200);
        for (NodeId host = 0; host < job_.size(); ++host) {
            const Head head{number, entered_, passed_};
            std::memcpy(message.data(), &head, kHead);
            fill(std::span(message).subspan(kHead), here(), host, number);
            isochron.message(host, message);
        }
        const auto amount = static_cast<std::int64_t>(random() % 100);
        isochron.fetch_add(account(random()), -amount);
        isochron.fetch_add(account(random()), amount);
        if (!memory.issue(isochron)) return;
        for (NodeId host = 0; host < job_.size(); ++host)
            went(host);
    }

    void poll() override {
        shmem::Memory& memory = job_.memory();
        for (isotach::Delivery delivery; memory.receive(delivery);) {
            take(delivery);
            memory.release(delivery);
        }
        while (!audits_.empty() && ready(audits_.front())) {
            const std::int64_t sum = std::accumulate(
                audits_.front().begin(), audits_.front().end(), std::int64_t{0},
                [](std::int64_t before, const auto& account) { return before + account.value(); });
            if (sum != 0) throw Wrong("isochrons: the accounts sum up to " + std::to_string(sum) + ", not 0");
            audits_.pop_front();
            ++audited_;
        }
    }

    /// What this host has done in the group comes before what it issues from then on.
    bool wind_up() override { return job_.isotach().group_knows(); }
    bool settled() const override {
        return audits_.empty() && job_.memory().issued() == job_.memory().executed();
    }
    std::uint64_t audits() const override { return audited_; }
    std::string verdict() const override {
        return "order=" + std::to_string(order_) + " signals=" + std::to_string(signals_) +
               " logical_barriers=" + std::to_string(passed_);
    }

  private:
    using Account = shmem::Variable<std::int64_t>;
    using Audit = std::vector<shmem::Future<std::int64_t>>;

    struct Head {
        std::uint64_t number = 0;
        std::uint32_t entered = 0;  ///< barriers, by the issuer
        std::uint32_t passed = 0;   ///< of them, those that he knew to be complete
    };
    static constexpr std::size_t kHead = sizeof(Head);
    static constexpr unsigned kSignal = 1;
    static constexpr unsigned kBarrier = 0;
    static constexpr std::size_t kAudits = 4;
    static constexpr std::uint64_t kUnderWay = 64;
    static constexpr std::uint32_t kAccounts = 16;

    static Account account(std::uint64_t number) {
        const auto which = static_cast<std::uint32_t>(number % kAccounts);
        return {which % kPages * shmem::kDefaultPageWords + 2 * (which / kPages)};
    }
    static bool ready(const Audit& audit) {
        for (const auto& account : audit)
            if (!account.ready()) return false;
        return true;
    }
    void audit() {
        shmem::Isochron isochron = job_.memory().isochron();
        Audit audit;
        for (std::uint32_t number = 0; number < kAccounts; ++number)
            audit.push_back(isochron.read(account(number)));
        if (job_.memory().issue(isochron)) audits_.push_back(std::move(audit));
    }
    void take(const isotach::Delivery& delivery) {
        if (delivery.kind == isotach::DeliveryKind::kMessage) return take_message(delivery);
        ++(delivery.kind == isotach::DeliveryKind::kBarrier ? passed_ : signals_);
        note(static_cast<std::uint64_t>(delivery.kind) << 8 | delivery.channel, delivery.time.pulse);
    }
    void take_message(const isotach::Delivery& delivery) {
        Head head;
        if (delivery.data.size() < kHead) throw Wrong("isochrons: a message without a number");
        std::memcpy(&head, delivery.data.data(), kHead);
        const NodeId from = delivery.time.host;
        take_in_order(from, head.number);
        check(delivery.data.subspan(kHead), from, here(), head.number, name());
        if (passed_ < head.passed || passed_ > head.entered)
            throw Wrong("isochrons: a message of node " + std::to_string(from) +
                        " is on the wrong side of a barrier");
        note(head.number << 8 | from, delivery.time.pulse);
    }
    void note(std::uint64_t what, std::uint64_t pulse) {
        order_ = (order_ ^ what) * 0xff51afd7ed558ccd + pulse;
    }

    std::uint32_t entered_ = 0;  ///< barriers
    std::uint32_t passed_ = 0;   ///< of them, those that are complete
    std::uint32_t signals_ = 0;  ///< noticed
    std::deque<Audit> audits_;
    std::uint64_t audited_ = 0;
    std::uint64_t order_ = 0;  ///< a digest of what has come, in its order, at its times
};

}  // namespace isoplane::soak
