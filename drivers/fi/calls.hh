// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "objects.hh"

namespace isoplane::fi {

/// What programs call on an endpoint, which takes the network's lock and says it in the endpoint's terms.
fi_ops_msg* message_calls();
fi_ops_tagged* tagged_calls();
fi_ops_rma* remote_calls();
fi_ops_atomic* atomic_calls();

}  // namespace isoplane::fi
