// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <myri_api0.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <isoplane/channel/routes.hh>
#include <mutex>

#include "myri_buffers.hh"
#include "net.hh"
#include "send_lock.hh"

namespace isoplane::compat {

namespace {

using channel::Status;

int code_of(Status status) {
    switch (status) {
        case Status::kOk:
            return MYRI_API0_OK;
        case Status::kFull:
            return MYRI_API0_SEND_FULL;
        case Status::kNotUp:
            return MYRI_API0_UNREACHABLE;
        case Status::kNoChannel:
            return MYRI_API0_BAD_CHAN;
        case Status::kInUse:
            return MYRI_API0_CHAN_IN_USE;
        case Status::kNotInUse:
            return MYRI_API0_CHAN_NOT_IN_USE;
        case Status::kTooLarge:
            return MYRI_API0_BAD_LENGTH;
        case Status::kBusy:
            return MYRI_API0_BUFFER_BUSY;
    }
    return MYRI_API0_NOT_INIT;
}

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// What these programs take for a network card, of which there is one.
class Board {
  public:
    static Board& instance() {
        // Never destroyed: leaving at exit still asks it.
        static Board* const board = new Board(Net::instance());
        return *board;
    }

    SendLock& send_lock() noexcept { return send_lock_; }
    /// Around everything else: what moves messages is one for all channels.
    std::recursive_mutex& engine() noexcept { return engine_; }
    bool is_up() const noexcept { return channels_.has_value(); }

    int init(bool again) {
        if (!is_up()) return start();
        if (!again) return MYRI_API0_OK;
        for (channel::ChannelId chan = 0; chan < MYRI_API0_NUM_CHANNELS; ++chan)
            channels_->close(chan);
        routes_->clear();
        load_routes();
        return MYRI_API0_OK;
    }

    int get_chan(int chan) {
        if (chan == MYRI_API0_ANY_CHAN) {
            const auto any = channels_->open_any();
            return any ? *any : MYRI_API0_NO_CHANS;
        }
        if (!is_channel(chan)) return MYRI_API0_BAD_CHAN;
        const Status status = channels_->open(number(chan));
        return status == Status::kOk ? chan : code_of(status);
    }
    int rele_chan(int chan) {
        return is_channel(chan) ? code_of(channels_->close(number(chan))) : MYRI_API0_BAD_CHAN;
    }
    int init_recv_chan(int chan) {
        if (!is_channel(chan)) return MYRI_API0_BAD_CHAN;
        channels_->open(number(chan));
        return MYRI_API0_OK;
    }

    int add_route(int id, const char* route, int len) {
        if (route == nullptr || len < 1 || len > 4) return MYRI_API0_BAD_ROUTE;
        std::uint32_t node = 0;
        for (const char byte : std::span(route, static_cast<std::size_t>(len)))
            node = node << 8 | static_cast<unsigned char>(byte);
        if (node >= static_cast<std::uint32_t>(net_.hosts())) return MYRI_API0_BAD_ROUTE;
        const auto to = static_cast<niu::NodeId>(node);
        if (id == MYRI_API0_NEXT_ROUTE) {
            const auto next = routes_->add(to);
            return next ? *next : MYRI_API0_NO_ROUTES;
        }
        const bool possible = id > 0 && id < channel::Routes::kMost;
        return possible && routes_->set(static_cast<channel::RouteId>(id), to) ? id : MYRI_API0_BAD_ROUTE;
    }

    int get_send_buffer(void** buf) {
        channel::Buffer buffer = channels_->buffer();
        if (!buffer) {
            net_.poll();
            buffer = channels_->buffer();
        }
        if (!buffer) return MYRI_API0_NO_BUFFERS;
        *buf = buffers_->add(std::move(buffer), MyriBuffers::kSend);
        return MYRI_API0_OK;
    }
    int send_route(int chan, const void* buf, int len, int route) {
        MyriBuffers::Held* const held = buffers_->find(buf);
        if (held == nullptr) return MYRI_API0_BAD_BUFFER;
        const auto to = route < 0 ? std::nullopt : routes_->find(static_cast<std::size_t>(route));
        if (!to) return MYRI_API0_BAD_ROUTE;
        if (!is_channel(chan)) return MYRI_API0_BAD_CHAN;
        if (len < 0 || len > max_len()) return MYRI_API0_BAD_LENGTH;
        const auto send = [&] {
            return channels_->send(*to, number(chan), held->buffer, static_cast<std::size_t>(len), mode_);
        };
        Status status = send();
        if (status == Status::kFull || status == Status::kBusy || status == Status::kNotUp) {
            net_.poll();
            status = send();
        }
        return code_of(status);
    }
    /// What was received and sent on may be freed as either.
    int free_send(const void* buf) { return free(buffers_->find(buf)); }
    int free_recv(int chan, const void* buf) {
        if (!is_channel(chan)) return MYRI_API0_BAD_CHAN;
        MyriBuffers::Held* const held = buffers_->find(buf);
        return held != nullptr && held->channel == chan ? free(held) : MYRI_API0_BAD_BUFFER;
    }
    int buffer_busy_p(const void* buf) {
        const MyriBuffers::Held* const held = buffers_->find(buf);
        if (held == nullptr) return MYRI_API0_BAD_BUFFER;
        if (!channels_->busy(held->buffer)) return 0;
        net_.poll();
        return channels_->busy(held->buffer) ? 1 : 0;
    }
    int reap_sent() {
        net_.poll();
        channels_->reap();
        return MYRI_API0_OK;
    }
    int num_pending() {
        net_.poll();
        return static_cast<int>(channels_->pending());
    }

    int recv_poll(int chan) {
        if (const int wrong = wrong_with(chan)) return wrong;
        net_.poll();
        return static_cast<int>(channels_->waiting(number(chan)));
    }
    int recv(int chan, void** buf, int* len) {
        if (const int wrong = wrong_with(chan)) return wrong;
        // Also when there is always one: others wait for what has been sent meanwhile.
        if (channels_->waiting(number(chan)) == 0 || ++taken_ % kPollEvery == 0) net_.poll();
        channel::Buffer buffer = channels_->receive(number(chan));
        if (!buffer) return MYRI_API0_NO_PACKET;
        *len = static_cast<int>(buffer.data().size());
        *buf = buffers_->add(std::move(buffer), chan);
        return MYRI_API0_OK;
    }

    int handshake() {
        net_.poll();
        net_.look_for_trouble();
        return MYRI_API0_OK;
    }
    int max_len() { return net_.max_payload(false) - static_cast<int>(wire::kChannelHeaderSize); }

  private:
    explicit Board(Net& net) : net_(net) {
        net.speak(wire::Protocol::kChannel);
        net.also_poll([] { instance().tend(); });
        net.before_leaving([] { instance().leave(); });
        net.before_closing([] { instance().stop(); });
        net.exclude_while_leaving(engine_);
    }

    int start() {
        if (!net_.is_open() && !net_.open(Net::Time::kNone)) return MYRI_API0_NOT_INIT;
        channel::Options options{.channels = MYRI_API0_NUM_CHANNELS};
        const auto hosts = static_cast<unsigned>(net_.hosts());
        // One of each fits.
        options.held = std::max(options.held, hosts > options.slots ? hosts - options.slots : 0);
        if (const std::string mode = variable("ISOPLANE_CHANNELS"); mode == "reliable") {
            mode_ = channel::Mode::kReliable;
        } else if (!mode.empty() && mode != "datagram") {
            give_up("ISOPLANE_CHANNELS=" + mode + " is no way to send; give datagram or reliable");
        }
        try {
            job::Job& job = net_.job();
            channels_.emplace(job.messages(wire::Protocol::kChannel), job.pool(), job.node(), hosts, options);
        } catch (const std::exception& error) {
            give_up(error.what());
        }
        buffers_.emplace(options.send_buffers + std::size_t{options.channels} * options.capacity());
        routes_.emplace(static_cast<niu::NodeId>(net_.node()), hosts);
        load_routes();
        // What this end knows of a host may come an instant after the host.
        while (!sees_all())
            net_.poll();
        return MYRI_API0_OK;
    }
    bool sees_all() const {
        const noniso::Endpoint& endpoint = net_.job().messages(wire::Protocol::kChannel);
        for (int node = 0; node < net_.hosts(); ++node) {
            if (node == net_.node()) continue;
            if (endpoint.state(static_cast<niu::NodeId>(node)) != niu::PeerState::kUp) return false;
        }
        return true;
    }
    void load_routes() {
        const std::string file = variable("ISOPLANE_ROUTES");
        if (file.empty()) return;
        try {
            routes_->load(file, net_.settings().hosts());
        } catch (const std::exception& error) {
            give_up(error.what());
        }
    }
    void tend() {
        const std::scoped_lock lock(engine_);
        if (!channels_) return;
        channels_->poll();
        if (net_.leaving()) drop_all();
    }
    /// The program ends, and receives no more: others may be waiting for room here. What it would send stays
    /// where it is, as its other threads may be writing there.
    void leave() {
        if (buffers_) buffers_->free_received();
    }
    void drop_all() {
        for (channel::ChannelId chan = 0; chan < MYRI_API0_NUM_CHANNELS; ++chan) {
            channels_->open(chan);  // also what nobody has
            channels_->close(chan);
        }
    }
    void stop() {
        const std::scoped_lock lock(engine_);
        buffers_.reset();
        channels_.reset();
    }

    static bool is_channel(int chan) { return chan >= 0 && chan < MYRI_API0_NUM_CHANNELS; }
    static channel::ChannelId number(int chan) { return static_cast<channel::ChannelId>(chan); }
    int wrong_with(int chan) const {
        if (!is_channel(chan)) return MYRI_API0_BAD_CHAN;
        return channels_->is_open(number(chan)) ? 0 : MYRI_API0_CHAN_NOT_IN_USE;
    }
    int free(MyriBuffers::Held* held) {
        if (held == nullptr) return MYRI_API0_BAD_BUFFER;
        buffers_->remove(*held);
        return MYRI_API0_OK;
    }

    static constexpr unsigned kPollEvery = 16;

    Net& net_;
    SendLock send_lock_;
    std::recursive_mutex engine_;
    channel::Mode mode_ = channel::Mode::kDatagram;
    std::optional<channel::Channels> channels_;
    std::optional<channel::Routes> routes_;
    std::optional<MyriBuffers> buffers_;  ///< go before their channels
    unsigned taken_ = 0;                  ///< messages
};

/// Calls a function of the board, if it is up.
template <typename... Parameters, typename... Arguments>
int on_board(int unit, int (Board::*what)(Parameters...), Arguments... arguments) {
    if (unit != 0) return MYRI_API0_BAD_UNIT;
    Board& board = Board::instance();
    const std::scoped_lock lock(board.engine());
    return board.is_up() ? (board.*what)(arguments...) : MYRI_API0_NOT_INIT;
}

/// The same while no other thread has the send channel.
template <typename... Parameters, typename... Arguments>
int on_send_channel(int unit, int (Board::*what)(Parameters...), Arguments... arguments) {
    const std::scoped_lock lock(Board::instance().send_lock());
    return on_board(unit, what, arguments...);
}

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::Board;
using isoplane::compat::on_board;
using isoplane::compat::on_send_channel;

int myri_api0_init(int unit_num, int /*in_id*/, int force_init, char* /*mcp_code*/) {
    if (unit_num != 0) return MYRI_API0_BAD_UNIT;
    Board& board = Board::instance();
    const std::scoped_lock lock(board.engine());
    return board.init(force_init != 0);
}

int myri_api0_handshake(int unit_num) {
    return on_board(unit_num, &Board::handshake);
}

int myri_api0_get_chan(int unit_num, int chan_num) {
    return on_board(unit_num, &Board::get_chan, chan_num);
}

int myri_api0_rele_chan(int unit_num, int chan_num) {
    return on_board(unit_num, &Board::rele_chan, chan_num);
}

int myri_api0_init_recv_chan(int unit_num, int chan_num) {
    return on_board(unit_num, &Board::init_recv_chan, chan_num);
}

int myri_api0_add_route(int unit_num, int route_id, char* route, int len) {
    return on_board(unit_num, &Board::add_route, route_id, route, len);
}

int myri_api0_get_send_buffer(int unit_num, void** buf) {
    return on_board(unit_num, &Board::get_send_buffer, buf);
}

int myri_api0_get_send_buffer_l(int unit_num, void** buf) {
    return on_send_channel(unit_num, &Board::get_send_buffer, buf);
}

int myri_api0_send_route(int unit_num, int chan_num, void* buf, int buf_len, int route_id) {
    return on_board(unit_num, &Board::send_route, chan_num, buf, buf_len, route_id);
}

int myri_api0_send_route_l(int unit_num, int chan_num, void* buf, int buf_len, int route_id) {
    return on_send_channel(unit_num, &Board::send_route, chan_num, buf, buf_len, route_id);
}

int myri_api0_free_send(int unit_num, char* buf) {
    return on_board(unit_num, &Board::free_send, buf);
}

int myri_api0_free_send_l(int unit_num, char* buf) {
    return on_send_channel(unit_num, &Board::free_send, buf);
}

int myri_api0_buffer_busy_p(int unit_num, void* buf) {
    return on_board(unit_num, &Board::buffer_busy_p, buf);
}

int myri_api0_reap_sent(int unit_num) {
    return on_board(unit_num, &Board::reap_sent);
}

int myri_api0_reap_sent_l(int unit_num) {
    return on_send_channel(unit_num, &Board::reap_sent);
}

int myri_api0_num_pending(int unit_num) {
    return on_board(unit_num, &Board::num_pending);
}

int myri_api0_recv_poll(int unit_num, int chan_num) {
    return on_board(unit_num, &Board::recv_poll, chan_num);
}

int myri_api0_recv(int unit_num, int chan_num, void** buf, int* buf_len) {
    return on_board(unit_num, &Board::recv, chan_num, buf, buf_len);
}

int myri_api0_free_recv(int unit_num, int chan_num, void* buf) {
    return on_board(unit_num, &Board::free_recv, chan_num, buf);
}

int myri_api0_lock(int unit_num) {
    if (unit_num != 0) return MYRI_API0_BAD_UNIT;
    Board::instance().send_lock().lock();
    return MYRI_API0_OK;
}

int myri_api0_unlock(int unit_num) {
    if (unit_num != 0) return MYRI_API0_BAD_UNIT;
    if (!Board::instance().send_lock().is_mine()) return MYRI_API0_NOT_LOCKED;
    Board::instance().send_lock().unlock();
    return MYRI_API0_OK;
}

int isoplane_myri_api0_max_len() {
    return Board::instance().max_len();
}
