// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <complex>
#include <limits>
#include <type_traits>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

/// This number as that type says it.
template <typename T>
T number(int value) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(value);
    else
        return T(static_cast<typename T::value_type>(value));
}

/// A value that others may change, and what becomes of it.
template <typename T>
class Value {
  public:
    Value(World& world, fi_datatype type)
        : world_(world), type_(type), region_(world.offer(&value_, sizeof value_, kKey)) {}

    T result(fi_op operation, T there, T operand) {
        value_ = there;
        T before{};
        EXPECT_EQ(fi_fetch_atomic(world_.a.endpoint.get(), &operand, 1, nullptr, &before, nullptr,
                                  world_.b.address, 0, kKey, type_, operation, nullptr),
                  0);
        world_.a.next();
        EXPECT_EQ(before, there);
        return value_;
    }
    T after(fi_op operation, int there, int operand) {
        return result(operation, number<T>(there), number<T>(operand));
    }
    T compared(fi_op operation, int there, int operand, int compare) {
        value_ = number<T>(there);
        const T wanted = number<T>(operand);
        const T with = number<T>(compare);
        T before{};
        EXPECT_EQ(fi_compare_atomic(world_.a.endpoint.get(), &wanted, 1, nullptr, &with, nullptr, &before,
                                    nullptr, world_.b.address, 0, kKey, type_, operation, nullptr),
                  0);
        world_.a.next();
        EXPECT_EQ(before, number<T>(there));
        return value_;
    }
    bool is_there(fi_op operation) {
        return fi_fetch_atomicvalid(world_.a.endpoint.get(), type_, operation, nullptr) == 0;
    }
    bool is_comparison(fi_op operation) {
        return fi_compare_atomicvalid(world_.a.endpoint.get(), type_, operation, nullptr) == 0;
    }

  private:
    World& world_;
    fi_datatype type_;
    T value_{};
    Owned<fid_mr> region_;
};

/// What all numbers can.
template <typename T>
void calculates(World& world, fi_datatype type) {
    SCOPED_TRACE(fi_tostr(&type, FI_TYPE_ATOMIC_TYPE));
    fi_atomic_attr attributes{};
    EXPECT_EQ(fi_query_atomic(world.domain.get(), type, FI_SUM, &attributes, 0), 0);
    EXPECT_EQ(attributes.size, sizeof(T));
    Value<T> value(world, type);
    EXPECT_EQ(value.after(FI_SUM, 6, 3), number<T>(9));
    EXPECT_EQ(value.after(FI_PROD, 6, 3), number<T>(18));
    EXPECT_EQ(value.after(FI_LOR, 0, 3), number<T>(1));
    EXPECT_EQ(value.after(FI_LAND, 6, 0), number<T>(0));
    EXPECT_EQ(value.after(FI_LXOR, 6, 3), number<T>(0));
    EXPECT_EQ(value.after(FI_ATOMIC_WRITE, 6, 3), number<T>(3));
    EXPECT_EQ(value.compared(FI_CSWAP, 6, 3, 6), number<T>(3));
    EXPECT_EQ(value.compared(FI_CSWAP, 6, 3, 5), number<T>(6));
    EXPECT_EQ(value.compared(FI_CSWAP_NE, 6, 3, 6), number<T>(6));
    EXPECT_EQ(value.compared(FI_CSWAP_NE, 6, 3, 5), number<T>(3));
}

/// What only those can of which one is the greater.
template <typename T>
void orders(World& world, fi_datatype type) {
    SCOPED_TRACE(fi_tostr(&type, FI_TYPE_ATOMIC_TYPE));
    Value<T> value(world, type);
    EXPECT_EQ(value.after(FI_MIN, 6, 3), number<T>(3));
    EXPECT_EQ(value.after(FI_MAX, 6, 3), number<T>(6));
    const struct {
        fi_op operation;
        bool below, same, above;  // whether it swaps when what it compares with is below what is there, ...
    } comparisons[] = {{FI_CSWAP_LE, true, true, false},
                       {FI_CSWAP_LT, true, false, false},
                       {FI_CSWAP_GE, false, true, true},
                       {FI_CSWAP_GT, false, false, true}};
    for (const auto& [operation, below, same, above] : comparisons) {
        EXPECT_EQ(value.compared(operation, 6, 3, 5), number<T>(below ? 3 : 6)) << operation;
        EXPECT_EQ(value.compared(operation, 6, 3, 6), number<T>(same ? 3 : 6)) << operation;
        EXPECT_EQ(value.compared(operation, 6, 3, 7), number<T>(above ? 3 : 6)) << operation;
    }
}

/// What only those can that are made of bits.
template <typename T>
void counts_in_bits(World& world, fi_datatype type) {
    SCOPED_TRACE(fi_tostr(&type, FI_TYPE_ATOMIC_TYPE));
    calculates<T>(world, type);
    orders<T>(world, type);
    Value<T> value(world, type);
    EXPECT_EQ(value.after(FI_BOR, 6, 3), number<T>(7));
    EXPECT_EQ(value.after(FI_BAND, 6, 3), number<T>(2));
    EXPECT_EQ(value.after(FI_BXOR, 6, 3), number<T>(5));
    EXPECT_EQ(value.compared(FI_MSWAP, 6, 3, 1), number<T>(7));
    using Limits = std::numeric_limits<T>;
    EXPECT_EQ(value.result(FI_SUM, Limits::max(), number<T>(1)), Limits::min());
}

TEST(FiAtomic, whole_numbers_of_all_sizes_calculate_order_and_have_bits) {
    World world;
    counts_in_bits<std::int8_t>(world, FI_INT8);
    counts_in_bits<std::uint8_t>(world, FI_UINT8);
    counts_in_bits<std::int16_t>(world, FI_INT16);
    counts_in_bits<std::uint16_t>(world, FI_UINT16);
    counts_in_bits<std::int32_t>(world, FI_INT32);
    counts_in_bits<std::uint32_t>(world, FI_UINT32);
    counts_in_bits<std::int64_t>(world, FI_INT64);
    counts_in_bits<std::uint64_t>(world, FI_UINT64);
}

TEST(FiAtomic, fractions_calculate_and_order) {
    World world;
    calculates<float>(world, FI_FLOAT);
    orders<float>(world, FI_FLOAT);
    calculates<double>(world, FI_DOUBLE);
    orders<double>(world, FI_DOUBLE);
    calculates<long double>(world, FI_LONG_DOUBLE);
    orders<long double>(world, FI_LONG_DOUBLE);
    Value<double> value(world, FI_DOUBLE);
    EXPECT_FALSE(value.is_there(FI_BOR));
    EXPECT_FALSE(value.is_comparison(FI_MSWAP));
}

TEST(FiAtomic, complex_numbers_only_calculate) {
    World world;
    calculates<std::complex<float>>(world, FI_FLOAT_COMPLEX);
    calculates<std::complex<double>>(world, FI_DOUBLE_COMPLEX);
    calculates<std::complex<long double>>(world, FI_LONG_DOUBLE_COMPLEX);
    Value<std::complex<double>> value(world, FI_DOUBLE_COMPLEX);
    EXPECT_EQ(value.result(FI_PROD, {0, 1}, {0, 1}), number<std::complex<double>>(-1));
    EXPECT_FALSE(value.is_there(FI_MAX));
    EXPECT_FALSE(value.is_there(FI_BXOR));
    EXPECT_FALSE(value.is_comparison(FI_CSWAP_LT));
}

TEST(FiAtomic, operations_are_executed_there) {
    World world;
    std::vector<std::int64_t> memory{10, 20, 30};
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size() * 8, kKey);
    fid_ep* const from = world.a.endpoint.get();
    const std::int64_t operand[] = {1, -2};
    std::int64_t before[2]{};
    ASSERT_EQ(fi_atomic(from, operand, 2, nullptr, world.b.address, 8, kKey, FI_INT64, FI_SUM, context(1)),
              0);
    EXPECT_EQ(world.a.next().flags, FI_ATOMIC | FI_WRITE);
    EXPECT_EQ(memory, (std::vector<std::int64_t>{10, 21, 28}));
    ASSERT_EQ(fi_fetch_atomic(from, operand, 2, nullptr, before, nullptr, world.b.address, 0, kKey, FI_INT64,
                              FI_MAX, context(2)),
              0);
    EXPECT_EQ(world.a.next().flags, FI_ATOMIC | FI_READ);
    EXPECT_EQ(before[0], 10);
    EXPECT_EQ(before[1], 21);
    EXPECT_EQ(memory, (std::vector<std::int64_t>{10, 21, 28}));
    const std::int64_t compare[] = {10, 99};
    ASSERT_EQ(fi_compare_atomic(from, operand, 2, nullptr, compare, nullptr, before, nullptr, world.b.address,
                                0, kKey, FI_INT64, FI_CSWAP, context(3)),
              0);
    world.a.next();
    EXPECT_EQ(memory, (std::vector<std::int64_t>{1, 21, 28}));
    ASSERT_EQ(fi_fetch_atomic(from, nullptr, 1, nullptr, before, nullptr, world.b.address, 16, kKey, FI_INT64,
                              FI_ATOMIC_READ, context(4)),
              0);
    world.a.next();
    EXPECT_EQ(before[0], 28);
    ASSERT_EQ(fi_inject_atomic(from, operand, 1, world.b.address, 16, kKey, FI_INT64, FI_BXOR), 0);
    world.until([&] { return memory[2] == (28 ^ 1); });
    EXPECT_TRUE(world.a.is_quiet());
    ASSERT_EQ(fi_atomic(from, operand, 2, nullptr, world.b.address, 16, kKey, FI_INT64, FI_SUM, nullptr), 0);
    EXPECT_EQ(world.a.next_error().err, FI_EACCES);
}

TEST(FiAtomic, what_there_is_can_be_asked_for) {
    World world;
    fi_atomic_attr attributes{};
    EXPECT_EQ(fi_query_atomic(world.domain.get(), FI_DOUBLE, FI_SUM, &attributes, 0), 0);
    EXPECT_EQ(attributes.size, 8U);
    EXPECT_EQ(attributes.count, 64U);
    std::size_t count = 0;
    fid_ep* const endpoint = world.a.endpoint.get();
    EXPECT_EQ(fi_atomicvalid(endpoint, FI_UINT8, FI_BAND, &count), 0);
    EXPECT_EQ(count, 512U);
    EXPECT_EQ(fi_atomicvalid(endpoint, FI_FLOAT, FI_BAND, &count), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_atomicvalid(endpoint, FI_INT32, FI_CSWAP, &count), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_compare_atomicvalid(endpoint, FI_INT32, FI_MSWAP, &count), 0);
    EXPECT_EQ(fi_fetch_atomicvalid(endpoint, FI_DOUBLE_COMPLEX, FI_MIN, &count), -FI_EOPNOTSUPP);
}

TEST(FiAtomic, values_may_lie_apart) {
    World world;
    std::vector<std::int32_t> memory{1, 2};
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size() * 4, kKey);
    fid_ep* const from = world.a.endpoint.get();
    std::int32_t first = 10;
    std::int32_t second = 20;
    const fi_ioc operand[]{{&first, 1}, {&second, 1}};
    ASSERT_EQ(fi_atomicv(from, operand, nullptr, 2, world.b.address, 0, kKey, FI_INT32, FI_SUM, nullptr), 0);
    world.a.next();
    EXPECT_EQ(memory, (std::vector<std::int32_t>{11, 22}));
    std::int32_t low = 0;
    std::int32_t high = 0;
    fi_ioc before[]{{&low, 1}, {&high, 1}};
    ASSERT_EQ(fi_fetch_atomicv(from, operand, nullptr, 2, before, nullptr, 2, world.b.address, 0, kKey,
                               FI_INT32, FI_ATOMIC_WRITE, nullptr),
              0);
    world.a.next();
    EXPECT_EQ(low, 11);
    EXPECT_EQ(high, 22);
    std::int32_t same = 10;
    std::int32_t other = 99;
    const fi_ioc compare[]{{&same, 1}, {&other, 1}};
    const std::int32_t wanted[] = {5, 6};
    const fi_ioc swaps{const_cast<std::int32_t*>(wanted), 2};
    ASSERT_EQ(fi_compare_atomicv(from, &swaps, nullptr, 1, compare, nullptr, 2, before, nullptr, 2,
                                 world.b.address, 0, kKey, FI_INT32, FI_CSWAP, nullptr),
              0);
    world.a.next();
    EXPECT_EQ(memory, (std::vector<std::int32_t>{5, 20}));
}

TEST(FiAtomic, a_message_says_the_same) {
    World world;
    std::int64_t memory = 5;
    const Owned<fid_mr> region = world.offer(&memory, sizeof memory, kKey);
    fid_ep* const from = world.a.endpoint.get();
    std::int64_t number = 2;
    std::int64_t before = 0;
    std::int64_t with = 14;
    const fi_ioc operand{&number, 1};
    const fi_ioc compare{&with, 1};
    fi_ioc result{&before, 1};
    const fi_rma_ioc there{0, 1, kKey};
    fi_msg_atomic msg{&operand, nullptr, 1, world.b.address, &there, 1, FI_INT64, FI_SUM, context(1), 0};
    ASSERT_EQ(fi_atomicmsg(from, &msg, FI_COMPLETION), 0);
    EXPECT_EQ(world.a.next().op_context, context(1));
    EXPECT_EQ(memory, 7);
    msg.op = FI_PROD;
    ASSERT_EQ(fi_fetch_atomicmsg(from, &msg, &result, nullptr, 1, FI_COMPLETION), 0);
    world.a.next();
    EXPECT_EQ(before, 7);
    EXPECT_EQ(memory, 14);
    msg.op = FI_CSWAP;
    ASSERT_EQ(fi_compare_atomicmsg(from, &msg, &compare, nullptr, 1, &result, nullptr, 1, FI_COMPLETION), 0);
    world.a.next();
    EXPECT_EQ(before, 14);
    EXPECT_EQ(memory, 2);
    msg.rma_iov_count = 2;
    EXPECT_EQ(fi_compare_atomicmsg(from, &msg, &compare, nullptr, 1, &result, nullptr, 1, 0), -FI_EINVAL);
}

TEST(FiAtomic, what_makes_no_sense_is_refused_at_once) {
    World world;
    std::vector<std::int64_t> numbers(65);
    fid_ep* const from = world.a.endpoint.get();
    const auto add = [&](std::size_t count, fi_datatype type, fi_op operation) {
        return fi_atomic(from, numbers.data(), count, nullptr, world.b.address, 0, kKey, type, operation,
                         nullptr);
    };
    EXPECT_EQ(add(65, FI_INT64, FI_SUM), -FI_EINVAL);
    EXPECT_EQ(add(0, FI_INT64, FI_SUM), -FI_EINVAL);
    EXPECT_EQ(add(1, FI_INT64, FI_CSWAP), -FI_EOPNOTSUPP);
    EXPECT_EQ(add(1, FI_INT64, FI_ATOMIC_READ), -FI_EOPNOTSUPP);
    EXPECT_EQ(add(1, FI_DATATYPE_LAST, FI_SUM), -FI_EOPNOTSUPP);
    fi_ioc operand{numbers.data(), 2};
    fi_ioc result{numbers.data(), 1};
    EXPECT_EQ(fi_fetch_atomicv(from, &operand, nullptr, 1, &result, nullptr, 1, world.b.address, 0, kKey,
                               FI_INT64, FI_SUM, nullptr),
              -FI_EINVAL)
        << "fewer results than operands";
    EXPECT_EQ(fi_compare_atomicv(from, &operand, nullptr, 1, &result, nullptr, 1, &operand, nullptr, 1,
                                 world.b.address, 0, kKey, FI_INT64, FI_CSWAP, nullptr),
              -FI_EINVAL)
        << "fewer to compare with";
    EXPECT_TRUE(world.a.is_quiet());
}

}  // namespace
}  // namespace isoplane::fi_test
