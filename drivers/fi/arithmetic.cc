// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "arithmetic.hh"

#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace isoplane::fi {

namespace {

template <typename T>
struct TypeOf {
    using Type = T;
};

/// Calls with the C++ type of that name.
template <typename Call>
bool with_type(fi_datatype type, Call&& call) {
    switch (type) {
        case FI_INT8:
            return call(TypeOf<std::int8_t>{});
        case FI_UINT8:
            return call(TypeOf<std::uint8_t>{});
        case FI_INT16:
            return call(TypeOf<std::int16_t>{});
        case FI_UINT16:
            return call(TypeOf<std::uint16_t>{});
        case FI_INT32:
            return call(TypeOf<std::int32_t>{});
        case FI_UINT32:
            return call(TypeOf<std::uint32_t>{});
        case FI_INT64:
            return call(TypeOf<std::int64_t>{});
        case FI_UINT64:
            return call(TypeOf<std::uint64_t>{});
        case FI_FLOAT:
            return call(TypeOf<float>{});
        case FI_DOUBLE:
            return call(TypeOf<double>{});
        case FI_FLOAT_COMPLEX:
            return call(TypeOf<std::complex<float>>{});
        case FI_DOUBLE_COMPLEX:
            return call(TypeOf<std::complex<double>>{});
        case FI_LONG_DOUBLE:
            return call(TypeOf<long double>{});
        case FI_LONG_DOUBLE_COMPLEX:
            return call(TypeOf<std::complex<long double>>{});
        default:
            return false;
    }
}

template <typename T>
constexpr bool kIsOrdered = std::is_arithmetic_v<T>;

/// What integers wrap around in.
template <typename T>
T wrapped(fi_op operation, T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        const auto x = static_cast<std::uint64_t>(a);
        const auto y = static_cast<std::uint64_t>(b);
        return static_cast<T>(operation == FI_SUM ? x + y : x * y);
    } else {
        return operation == FI_SUM ? a + b : a * b;
    }
}

template <typename T>
T bitwise(fi_op operation, T a, T b, T mask) {
    switch (operation) {
        case FI_BOR:
            return static_cast<T>(a | b);
        case FI_BAND:
            return static_cast<T>(a & b);
        case FI_BXOR:
            return static_cast<T>(a ^ b);
        default:  // FI_MSWAP
            return static_cast<T>((b & mask) | (a & ~mask));
    }
}

template <typename T>
T ordered(fi_op operation, T there, T operand, T compare) {
    switch (operation) {
        case FI_MIN:
            return operand < there ? operand : there;
        case FI_MAX:
            return operand > there ? operand : there;
        case FI_CSWAP_LE:
            return compare <= there ? operand : there;
        case FI_CSWAP_LT:
            return compare < there ? operand : there;
        case FI_CSWAP_GE:
            return compare >= there ? operand : there;
        default:  // FI_CSWAP_GT
            return compare > there ? operand : there;
    }
}

template <typename T>
T result_of(fi_op operation, T there, T operand, T compare) {
    const bool a = there != T{};
    const bool b = operand != T{};
    switch (operation) {
        case FI_SUM:
        case FI_PROD:
            return wrapped(operation, there, operand);
        case FI_LOR:
            return static_cast<T>(a || b);
        case FI_LAND:
            return static_cast<T>(a && b);
        case FI_LXOR:
            return static_cast<T>(a != b);
        case FI_ATOMIC_READ:
            return there;
        case FI_ATOMIC_WRITE:
            return operand;
        case FI_CSWAP:
            return compare == there ? operand : there;
        case FI_CSWAP_NE:
            return compare != there ? operand : there;
        default:
            break;
    }
    if constexpr (std::is_integral_v<T>) {
        if (operation == FI_BOR || operation == FI_BAND || operation == FI_BXOR || operation == FI_MSWAP)
            return bitwise(operation, there, operand, compare);
    }
    if constexpr (kIsOrdered<T>) return ordered(operation, there, operand, compare);
    return there;
}

template <typename T>
T load(const std::byte* from, std::size_t index) {
    T value{};
    if (from != nullptr) std::memcpy(static_cast<void*>(&value), from + index * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
void store(std::byte* to, std::size_t index, const T& value) {
    std::memcpy(to + index * sizeof(T), static_cast<const void*>(&value), sizeof(T));
}

constexpr bool is_comparison(fi_op operation) {
    return operation >= FI_CSWAP && operation <= FI_MSWAP;
}

}  // namespace

std::size_t size_of(fi_datatype type) noexcept {
    std::size_t size = 0;
    with_type(type, [&size]<typename T>(TypeOf<T>) {
        size = sizeof(T);
        return true;
    });
    return size;
}

bool can(Form form, fi_datatype type, fi_op operation) noexcept {
    if (operation < FI_MIN || operation > FI_MSWAP) return false;
    if (is_comparison(operation) != (form == Form::kCompare)) return false;
    if (operation == FI_ATOMIC_READ && form != Form::kFetch) return false;
    const bool is_bitwise =
        operation == FI_BOR || operation == FI_BAND || operation == FI_BXOR || operation == FI_MSWAP;
    const bool is_ordered =
        operation == FI_MIN || operation == FI_MAX || (operation >= FI_CSWAP_LE && operation <= FI_CSWAP_GT);
    return with_type(type, [&]<typename T>(TypeOf<T>) {
        return (!is_bitwise || std::is_integral_v<T>)&&(!is_ordered || kIsOrdered<T>);
    });
}

void apply(fi_datatype type, fi_op operation, std::byte* memory, const std::byte* operand,
           const std::byte* compare, std::byte* before, std::size_t count) noexcept {
    with_type(type, [&]<typename T>(TypeOf<T>) {
        for (std::size_t i = 0; i < count; ++i) {
            const T there = load<T>(memory, i);
            if (before != nullptr) store(before, i, there);
            store(memory, i, result_of(operation, there, load<T>(operand, i), load<T>(compare, i)));
        }
        return true;
    });
}

}  // namespace isoplane::fi
