// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rdma/fi_atomic.h>

#include <cstddef>

namespace isoplane::fi {

/// How an atomic operation is asked for: to change memory, to return what was there too, or to compare first.
enum class Form { kChange, kFetch, kCompare };

/// Bytes of a value; 0 when there is no such type.
std::size_t size_of(fi_datatype type) noexcept;
/// Whether that can be done with values of that type, asked for in that form.
bool can(Form form, fi_datatype type, fi_op operation) noexcept;

/// Applies an operation to values in memory, which need not be aligned. What was there goes to `before`,
/// unless that is nullptr. `compare` is only for operations of that form. Only for what can() be.
void apply(fi_datatype type, fi_op operation, std::byte* memory, const std::byte* operand,
           const std::byte* compare, std::byte* before, std::size_t count) noexcept;

}  // namespace isoplane::fi
