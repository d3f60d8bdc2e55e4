-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 the isoplane authors
--
-- Wireshark dissector of isoplane frames, over Ethernet and over UDP. doc/protocol.md draws what it decodes and says how
-- to load it. Fields are named isoplane.*, so `isoplane.kind == 8 && isoplane.token.number > 100` filters tokens.

local isoplane = Proto("isoplane", "isoplane frame")

local DEFAULT_ETHERTYPE = 0x88B5
local DEFAULT_UDP_PORT = 0x88B5
local HEADER_SIZE = 48
local TRAILER_SIZE = 48
local VERSION = 2
local MIN_MTU = 144
local MAX_NAME_SIZE = 32
local FLAG_NO_PAYLOAD_CRC = 0x0001

local KINDS = {
    [1] = "data", [2] = "ack", [3] = "credit", [4] = "credit_request", [5] = "hello", [6] = "hello_ack", [7] = "bye",
    [8] = "token", [9] = "probe", [10] = "view",
}
local BROADCASTS = { [5] = true, [7] = true, [8] = true, [9] = true }  -- kinds that can mean everybody
local MAY_BE_EMPTY = { [9] = true }  -- the smallest frames have no room for a probe
local PROTOCOLS = {
    [0] = "control", [1] = "noniso", [2] = "isotach", [3] = "shmem", [4] = "portals", [5] = "active", [6] = "channel",
    [7] = "payload", [8] = "token", [9] = "portals_data",
}
local CONTROLS = { [1] = "barrier" }
local CHANNEL_SUBTYPES = { "datagram", "reliable", "ask", "grant" }
local ORDERED = { [2] = true }
local ACTIVE = { "request", "request with data", "get", "reply", "reply with data", "acknowledgement", "refusal" }
local VIEW_STEPS = { "prepare", "promise", "accept", "accepted", "refused", "decided", "ask" }
local PORTALS_KINDS = { [0] = "begin", "pull", "done" }
local PORTALS_TYPES = { [0] = "ack", "put", "get", "reply", "get-put" }
local PORTALS_RESTS = { [0] = "none", "follows", "waits", [6] = "waits, or lies in memory" }
local ACCESSES = { "read", "write", "sched", "assign", "add", "swap", "compare and swap" }
local FRAGMENTS = { [0] = "middle", [1] = "first", [2] = "last", [3] = "whole", [7] = "in a run" }
local PAGE_STEPS = { "ask", "words", "open", "whole", "none" }
local PAGE_TICKET = 0xffffffff
local HANDOVER = 0x10
local FLUSH = 0x20
local CLOCKED = 0x40
local POINTER = 0x80
local BROADCAST = 0xffff
local EVERY_HOST = 0xffff

-- What a host can do in the group, in the order of the bits of a group word.
local GROUP = {}
for _, action in ipairs({ { "signal", 6, 0x0001 }, { "join", 2, 0x0100 }, { "enter", 2, 0x0400 },
    { "leave", 2, 0x1000 } }) do
    local name, channels, first = action[1], action[2], action[3]
    for channel = 0, channels - 1 do
        GROUP[#GROUP + 1] = { field = "token.entry.group." .. name .. channel, text = name .. " " .. channel,
            mask = bit.lshift(first, channel) }
    end
end

isoplane.prefs.ethertype = Pref.uint("EtherType", DEFAULT_ETHERTYPE, "EtherType of frames directly on Ethernet")
isoplane.prefs.udp_port = Pref.uint("UDP port", DEFAULT_UDP_PORT, "Destination port of frames in UDP")

-- Fields ------------------------------------------------------------------------------------------------------------

local f = {}

local function field(name, constructor, label, ...)
    f[name] = constructor("isoplane." .. name, label, ...)
end

field("version", ProtoField.uint8, "Version")
field("kind", ProtoField.uint8, "Kind", base.DEC, KINDS)
field("flags", ProtoField.uint16, "Flags", base.HEX)
field("flags.no_payload_crc", ProtoField.bool, "No payload CRC", 16, nil, FLAG_NO_PAYLOAD_CRC)
field("key", ProtoField.uint32, "Job key", base.HEX)
field("src", ProtoField.uint16, "Source node", base.DEC)
field("dst", ProtoField.uint16, "Destination node", base.DEC)
field("node", ProtoField.uint16, "Source or destination node", base.DEC)
field("conversation", ProtoField.uint32, "Conversation", base.DEC)
field("epoch", ProtoField.uint32, "Epoch", base.DEC)
field("seq", ProtoField.uint32, "Sequence", base.DEC)
field("ack", ProtoField.uint32, "Acknowledgement (next expected)", base.DEC)
field("selective", ProtoField.uint64, "Selective acknowledgement", base.HEX)
field("credit", ProtoField.uint32, "Credit (cumulative)", base.DEC)
field("length", ProtoField.uint16, "Payload length", base.DEC)
field("peer_epoch", ProtoField.uint16, "Peer epoch (low half)", base.DEC)
field("payload_crc", ProtoField.uint32, "Payload CRC32C", base.HEX)
field("payload_crc.good", ProtoField.bool, "Payload CRC good")
field("header_crc", ProtoField.uint32, "Header CRC32C", base.HEX)
field("header_crc.good", ProtoField.bool, "Header CRC good")
field("payload", ProtoField.bytes, "Payload")
field("padding", ProtoField.bytes, "Padding")

field("trailer", ProtoField.none, "Trailer")
field("trailer.node", ProtoField.uint16, "Sealed by node", base.DEC)
field("trailer.started", ProtoField.absolute_time, "Which started", base.UTC)
field("trailer.salt", ProtoField.uint64, "Salt", base.HEX)
field("trailer.generation", ProtoField.uint32, "Generation of its key", base.DEC)
field("trailer.number", ProtoField.uint64, "Number", base.DEC)
field("trailer.proof", ProtoField.uint64, "Proof", base.HEX)
field("trailer.tag", ProtoField.bytes, "Tag")

field("message", ProtoField.none, "Message")
field("message.protocol", ProtoField.uint8, "Protocol", base.DEC, PROTOCOLS)
field("message.fragment", ProtoField.uint8, "Fragment", base.DEC, FRAGMENTS)
field("message.length", ProtoField.uint16, "Length", base.DEC)
field("message.size", ProtoField.uint32, "Message size", base.DEC)
field("message.offset", ProtoField.uint32, "Fragment offset", base.DEC)
field("message.data", ProtoField.bytes, "Data")

field("control.type", ProtoField.uint8, "Control", base.DEC, CONTROLS)
field("control.barrier", ProtoField.uint32, "Barrier", base.DEC)

field("channel.type", ProtoField.uint16, "Channel type", base.HEX)
field("channel.subtype", ProtoField.uint8, "Channel subtype", base.DEC, CHANNEL_SUBTYPES)
field("channel.channel", ProtoField.uint8, "Channel", base.DEC)
field("channel.number", ProtoField.uint32, "Number", base.DEC)
field("channel.life", ProtoField.uint32, "Life", base.DEC)

field("isotach", ProtoField.none, "Isotach")
field("isotach.pulse", ProtoField.uint64, "Pulse", base.DEC)
field("isotach.host", ProtoField.uint16, "Issuing host", base.DEC)
field("isotach.flags", ProtoField.uint8, "Flags", base.HEX)
field("isotach.operation", ProtoField.uint8, "Operation", base.DEC,
      { [0] = "message", "accesses", "accesses, and more", "marker" })
field("isotach.rank", ProtoField.uint32, "Rank", base.DEC)
field("isotach.isochron", ProtoField.uint32, "Isochron", base.DEC)
field("isotach.count", ProtoField.uint32, "Count to this destination", base.DEC)
field("isotach.flags.handover", ProtoField.bool, "How things stand, for a host that joins", 8, nil, HANDOVER)
field("isotach.flags.flush", ProtoField.bool, "End of a view", 8, nil, FLUSH)
field("isotach.flags.clocked", ProtoField.bool, "With the clock of issue", 8, nil, CLOCKED)
field("isotach.flags.pointer", ProtoField.bool, "Pointer to a payload", 8, nil, POINTER)
field("isotach.clock", ProtoField.uint64, "Issued at clock", base.DEC)
field("isotach.payload_size", ProtoField.uint32, "Payload size", base.DEC)

field("access", ProtoField.none, "Access")
field("access.code", ProtoField.uint8, "Code", base.DEC, ACCESSES)
field("access.words", ProtoField.uint16, "Words", base.DEC)
field("access.address", ProtoField.uint32, "Address", base.DEC)
field("access.ticket", ProtoField.uint32, "Ticket", base.DEC)
field("access.operands", ProtoField.bytes, "Operands")
field("answer.ticket", ProtoField.uint32, "Answer to ticket", base.DEC)
field("answer.offset", ProtoField.uint16, "Offset (words)", base.DEC)
field("answer.words", ProtoField.uint16, "Words", base.DEC)
field("answer.values", ProtoField.bytes, "Values")
field("page.step", ProtoField.uint8, "Step", base.DEC, PAGE_STEPS)
field("page.words", ProtoField.uint16, "Words", base.DEC)
field("page.pulse", ProtoField.uint64, "At the end of pulse", base.DEC)
field("page.page", ProtoField.uint32, "Page", base.DEC)
field("page.offset", ProtoField.uint32, "Offset (words)", base.DEC)
field("page.values", ProtoField.bytes, "Values")

field("active.type", ProtoField.uint8, "Type", base.DEC, ACTIVE)
field("active.convention", ProtoField.uint8, "Convention", base.DEC)
field("active.slot", ProtoField.uint8, "Slot", base.DEC)
field("active.reason", ProtoField.uint8, "Reason", base.DEC)
field("active.program", ProtoField.uint16, "Program", base.DEC)
field("active.number", ProtoField.uint16, "Number", base.DEC)
field("active.life", ProtoField.uint32, "Life of the requester", base.DEC)
field("active.image", ProtoField.uint32, "Handler in the image", base.HEX)
field("active.offset", ProtoField.uint32, "Handler at the offset", base.HEX)
field("active.word", ProtoField.uint64, "Word", base.HEX)
field("active.argument", ProtoField.uint64, "Argument", base.HEX)
field("active.address", ProtoField.uint64, "Address", base.HEX)
field("active.size", ProtoField.uint32, "Size", base.DEC)
field("active.at", ProtoField.uint32, "This part at", base.DEC)

field("portals.kind", ProtoField.uint8, "Portals message", base.DEC, PORTALS_KINDS)
field("portals.type", ProtoField.uint8, "Type", base.DEC, PORTALS_TYPES)
field("portals.rest", ProtoField.uint8, "Rest of the data", base.DEC, PORTALS_RESTS)
field("portals.number", ProtoField.uint32, "Number", base.DEC)
field("portals.target", ProtoField.uint32, "Target pid", base.DEC)
field("portals.initiator", ProtoField.uint32, "Initiator pid", base.DEC)
field("portals.uid", ProtoField.uint32, "User", base.DEC)
field("portals.jid", ProtoField.uint32, "Job", base.DEC)
field("portals.portal", ProtoField.uint32, "Portal", base.DEC)
field("portals.cookie", ProtoField.uint32, "Cookie", base.DEC)
field("portals.match_bits", ProtoField.uint64, "Match bits", base.HEX)
field("portals.remote_offset", ProtoField.uint64, "Remote offset", base.DEC)
field("portals.return_offset", ProtoField.uint64, "Return offset", base.DEC)
field("portals.hdr_data", ProtoField.uint64, "Header data", base.HEX)
field("portals.length", ProtoField.uint64, "Length", base.DEC)
field("portals.md", ProtoField.uint32, "MD", base.HEX)
field("portals.md_generation", ProtoField.uint32, "Generation of the MD", base.DEC)
field("portals.moved", ProtoField.uint64, "Moved", base.DEC)
field("portals.source", ProtoField.uint32, "Source", base.HEX)
field("portals.process", ProtoField.uint32, "Process that has the data", base.DEC)
field("portals.address", ProtoField.uint64, "Address of the data", base.HEX)
field("portals.seal_at", ProtoField.uint64, "Address of the seal", base.HEX)
field("portals.seal", ProtoField.uint64, "Seal", base.HEX)
field("portals.offset", ProtoField.uint64, "Offset of the slice", base.DEC)
field("portals.slice", ProtoField.uint32, "Length of the slice", base.DEC)

field("token.epoch", ProtoField.uint32, "Epoch of the sender's tokens", base.DEC)
field("token.src", ProtoField.uint16, "From node", base.DEC)
field("token.dst", ProtoField.uint16, "To node", base.DEC)
field("token.number", ProtoField.uint64, "Token", base.DEC)
field("token.number_end", ProtoField.uint16, "End of its number", base.DEC)
field("token.wanted", ProtoField.uint8, "Wanted for (hops)", base.DEC)
field("token.further", ProtoField.uint8, "Further tokens with it", base.DEC)
field("token.part", ProtoField.uint16, "Part (from 1)", base.DEC)
field("token.parts", ProtoField.uint16, "Parts", base.DEC)
field("token.entries", ProtoField.uint16, "Entries", base.DEC)
field("token.view", ProtoField.uint16, "View", base.DEC)
field("token.entry", ProtoField.none, "Entry")
field("token.entry.src", ProtoField.uint16, "From host", base.DEC)
field("token.entry.dst", ProtoField.uint16, "To host", base.DEC)
field("token.entry.count", ProtoField.uint32, "Isotach messages in all", base.DEC)
field("token.entry.group", ProtoField.uint32, "Group word", base.HEX)
for _, action in ipairs(GROUP) do
    field(action.field, ProtoField.bool, action.text:gsub("^%l", string.upper), 32, nil, action.mask)
end

field("hello.roles", ProtoField.uint8, "Roles", base.HEX)
field("hello.roles.host", ProtoField.bool, "Host", 8, nil, 0x01)
field("hello.roles.token_manager", ProtoField.bool, "Token manager", 8, nil, 0x02)
field("hello.roles.fabric", ProtoField.bool, "Fabric", 8, nil, 0x04)
field("hello.features", ProtoField.uint8, "Features", base.HEX)
field("hello.features.no_payload_crc", ProtoField.bool, "Needs no payload CRC", 8, nil, 0x01)
field("hello.mtu", ProtoField.uint16, "MTU", base.DEC)
field("hello.credit", ProtoField.uint32, "Initial credit", base.DEC)
field("hello.build_id", ProtoField.uint64, "Build id", base.HEX)
field("hello.name", ProtoField.string, "Name", base.ASCII)

field("view.step", ProtoField.uint8, "Step", base.DEC, VIEW_STEPS)
field("view.reserved", ProtoField.uint8, "Reserved", base.HEX)
field("view.plays", ProtoField.uint16, "Plays token manager", base.DEC)
field("view.view", ProtoField.uint32, "View of the sender", base.DEC)
field("view.ballot", ProtoField.uint32, "Ballot", base.DEC)
field("view.held", ProtoField.uint64, "Holds all up to pulse", base.DEC)
field("view.last", ProtoField.uint64, "Has stamped nothing after pulse", base.DEC)
field("view.accepted", ProtoField.uint32, "Accepted under ballot", base.DEC)
field("view.next", ProtoField.uint32, "Next view", base.DEC)
field("view.cut", ProtoField.uint64, "Cut", base.DEC)
field("view.base", ProtoField.uint64, "Base", base.DEC)
field("view.digest", ProtoField.uint32, "Checksum of the whole message", base.HEX)
field("view.part", ProtoField.uint16, "Part", base.DEC)
field("view.parts", ProtoField.uint16, "Parts", base.DEC)
field("view.doubt", ProtoField.uint16, "Doubts node", base.DEC)
field("view.member", ProtoField.uint16, "Member", base.DEC)
field("view.member.played_by", ProtoField.uint16, "Played by", base.DEC)
field("view.member.epoch", ProtoField.uint32, "Epoch", base.DEC)
field("probe.stream", ProtoField.uint32, "Stream", base.DEC)
field("probe.reserved", ProtoField.uint32, "Reserved", base.HEX)
field("probe.number", ProtoField.uint64, "Number", base.DEC)
field("probe.sent_ns", ProtoField.uint64, "Sent at (ns)", base.DEC)
field("probe.pattern", ProtoField.bytes, "Pattern")

local all_fields = {}
for _, one in pairs(f) do
    all_fields[#all_fields + 1] = one
end
isoplane.fields = all_fields

local e = {
    version = ProtoExpert.new("isoplane.expert.version", "Unknown version", expert.group.PROTOCOL, expert.severity.WARN),
    kind = ProtoExpert.new("isoplane.expert.kind", "Unknown kind", expert.group.PROTOCOL, expert.severity.WARN),
    flags = ProtoExpert.new("isoplane.expert.flags", "Unknown flags", expert.group.PROTOCOL, expert.severity.WARN),
    destination = ProtoExpert.new("isoplane.expert.destination", "Broadcast of a kind that may not be",
        expert.group.PROTOCOL, expert.severity.WARN),
    header_crc = ProtoExpert.new("isoplane.expert.header_crc", "Bad header CRC",
        expert.group.CHECKSUM, expert.severity.ERROR),
    payload_crc = ProtoExpert.new("isoplane.expert.payload_crc", "Bad payload CRC",
        expert.group.CHECKSUM, expert.severity.ERROR),
    length = ProtoExpert.new("isoplane.expert.length", "More payload announced than captured",
        expert.group.MALFORMED, expert.severity.ERROR),
    body = ProtoExpert.new("isoplane.expert.body", "Payload is not what its kind requires",
        expert.group.MALFORMED, expert.severity.ERROR),
}
isoplane.experts = { e.version, e.kind, e.flags, e.destination, e.header_crc, e.payload_crc, e.length, e.body }

-- CRC32C ------------------------------------------------------------------------------------------------------------

local crc_table = {}
for byte = 0, 255 do
    local state = byte
    for _ = 1, 8 do
        local odd = bit.band(state, 1) == 1
        state = bit.rshift(state, 1)
        if odd then state = bit.bxor(state, 0x82F63B78) end
    end
    crc_table[byte] = state
end

-- The functions of `bit` give signed results; the remainder makes the last one comparable with a field's value.
local function crc32c(range)
    local bytes = range:bytes()
    local state = 0xFFFFFFFF
    for i = 0, bytes:len() - 1 do
        state = bit.bxor(bit.rshift(state, 8), crc_table[bit.band(bit.bxor(state, bytes:get_index(i)), 0xff)])
    end
    return bit.bnot(state) % 0x100000000
end

local function show_crc(tree, name, range, expected)
    local item = tree:add(f[name], range)
    local good = range:uint() == expected
    item:append_text(good and " [correct]" or string.format(" [incorrect, should be 0x%08x]", expected))
    item:add(f[name .. ".good"], range, good):set_generated()
    if not good then item:add_proto_expert_info(e[name]) end
end

-- Payloads: each function returns a summary for the info column, or nothing when the payload is malformed --------------

local function add_isotach(tree, range)
    local item = tree:add(f["isotach"], range)
    item:add(f["isotach.pulse"], range(0, 8))
    item:add(f["isotach.host"], range(8, 2))
    local flags = item:add(f["isotach.flags"], range(10, 1))
    for _, flag in ipairs({ "handover", "flush", "clocked" }) do
        flags:add(f["isotach.flags." .. flag], range(10, 1))
    end
    flags:add(f["isotach.flags.pointer"], range(10, 1))
    item:add(f["isotach.operation"], range(11, 1))
    item:add(f["isotach.rank"], range(12, 4))
    item:add(f["isotach.isochron"], range(16, 4))
    item:add(f["isotach.count"], range(20, 4))
    item:set_text(string.format("Isotach: pulse %s, host %d, rank %d", tostring(range(0, 8):uint64()),
        range(8, 2):uint(), range(12, 4):uint()))
    return { pulse = range(0, 8):uint64(), host = range(8, 2):uint(), rank = range(12, 4):uint(),
             isochron = range(16, 4):uint(), count = range(20, 4):uint() }
end

-- Of a message in a run, whose place is a step from that of the one before it, which becomes its own.
local function add_step(tree, range, place)
    local item = tree:add(f["isotach"], range)
    place.rank = (place.rank + range(2, 2):uint()) % 0x100000000
    place.isochron = (place.isochron + range(1, 1):uint()) % 0x100000000
    place.count = (place.count + 1) % 0x100000000
    item:add(f["isotach.operation"], range(0, 1))
    for _, part in ipairs({ "pulse", "host", "rank", "isochron", "count" }) do
        item:add(f["isotach." .. part], range, place[part]):set_generated()
    end
    item:set_text(string.format("Isotach: pulse %s, host %d, rank %d", tostring(place.pulse), place.host, place.rank))
end

-- Accesses to shared memory, one after the other; false when one is malformed.
local function add_accesses(tree, range)
    local at = 0
    while at < range:len() do
        if range:len() - at < 12 then return false end
        local code, words = range(at, 1):uint(), range(at + 2, 2):uint()
        local operands = ({ 1, words, 1, 2 + words, words, words, 2 * words })[code]
        if operands == nil or words == 0 or range:len() - at < 12 + 4 * operands then return false end
        local item = tree:add(f["access"], range(at, 12 + 4 * operands))
        item:set_text(string.format("Access: %s, address %d", ACCESSES[code], range(at + 4, 4):uint()))
        item:add(f["access.code"], range(at, 1))
        item:add(f["access.words"], range(at + 2, 2))
        item:add(f["access.address"], range(at + 4, 4))
        item:add(f["access.ticket"], range(at + 8, 4))
        item:add(f["access.operands"], range(at + 12, 4 * operands))
        at = at + 12 + 4 * operands
    end
    return true
end

-- A page on its way to a host that joins.
local function add_page(tree, range)
    local step = PAGE_STEPS[range(4, 1):uint()] or "unknown step"
    tree:append_text(string.format(", page %d, %s", range(16, 4):uint(), step))
    tree:add(f["page.step"], range(4, 1))
    tree:add(f["page.words"], range(6, 2))
    tree:add(f["page.pulse"], range(8, 8))
    tree:add(f["page.page"], range(16, 4))
    tree:add(f["page.offset"], range(20, 4))
    if range:len() > 24 then tree:add(f["page.values"], range(24)) end
end

local function add_answer(tree, range)
    if range:len() < 8 then return end
    if range:len() >= 24 and range(0, 4):uint() == PAGE_TICKET then return add_page(tree, range) end
    tree:add(f["answer.ticket"], range(0, 4))
    tree:add(f["answer.offset"], range(4, 2))
    tree:add(f["answer.words"], range(6, 2))
    -- An odd number of values has a zero behind it.
    local size = math.min(4 * range(6, 2):uint(), range:len() - 8)
    if size > 0 then tree:add(f["answer.values"], range(8, size)) end
end

-- Returns how much of an active message has been shown: what is left is data. Nothing of one that is malformed.
local function add_active(tree, range)
    if range:len() < 20 or ACTIVE[range(0, 1):uint()] == nil then return 0 end
    local type = range(0, 1):uint()
    tree:add(f["active.type"], range(0, 1))
    tree:append_text(", " .. ACTIVE[type])
    tree:add(f["active.convention"], range(1, 1))
    tree:add(f["active.slot"], range(2, 1))
    tree:add(f["active.reason"], range(3, 1))
    tree:add(f["active.program"], range(4, 2))
    tree:add(f["active.number"], range(6, 2))
    tree:add(f["active.life"], range(8, 4))
    tree:add(f["active.image"], range(12, 4))
    tree:add(f["active.offset"], range(16, 4))
    if (type == 1 or type == 3 or type == 4) and range:len() == 52 then
        for at = 20, 44, 8 do tree:add(f["active.word"], range(at, 8)) end
        return 52
    end
    if (type == 2 or type == 5) and range:len() >= 44 then
        tree:add(f["active.argument"], range(20, 8))
        tree:add(f["active.address"], range(28, 8))
        tree:add(f["active.size"], range(36, 4))
        tree:add(f["active.at"], range(40, 4))
        return 44
    end
    return 20
end

-- Bytes of data that belong to a begin of this type.
local function portals_data_of(type, range)
    if type == 1 or type == 4 then return range(56, 8):uint64() end
    return type == 3 and range(72, 8):uint64() or UInt64(0)
end

local function add_portals_begin(tree, range)
    local type, rest = range(1, 1):uint(), range(2, 1):uint()
    local answers, returns = type == 0 or type == 3, type == 2 or type == 3
    local waits, in_memory = rest == 2 or rest == 6, rest == 6
    local size = in_memory and 120 or (answers or waits) and 88 or 72
    if PORTALS_TYPES[type] == nil or PORTALS_RESTS[rest] == nil or range(3, 1):uint() ~= 0 then return 0 end
    if range:len() < size or (size >= 88 and range(84, 4):uint() ~= 0) then return 0 end
    if in_memory and range(92, 4):uint() ~= 0 then return 0 end
    local here, data = UInt64(range:len() - size), portals_data_of(type, range)
    if rest == 0 and here ~= data or rest ~= 0 and here >= data then return 0 end
    tree:add(f["portals.kind"], range(0, 1))
    tree:add(f["portals.type"], range(1, 1))
    tree:add(f["portals.rest"], range(2, 1))
    tree:add(f["portals.number"], range(4, 4))
    tree:add(f["portals.target"], range(8, 4))
    tree:add(f["portals.initiator"], range(12, 4))
    tree:add(f["portals.uid"], range(16, 4))
    tree:add(f["portals.jid"], range(20, 4))
    tree:add(f["portals.portal"], range(24, 4))
    tree:add(f["portals.cookie"], range(28, 4))
    tree:add(f["portals.match_bits"], range(32, 8))
    tree:add(f["portals.remote_offset"], range(40, 8))
    tree:add(f[returns and "portals.return_offset" or "portals.hdr_data"], range(48, 8))
    tree:add(f["portals.length"], range(56, 8))
    tree:add(f["portals.md"], range(64, 4))
    tree:add(f["portals.md_generation"], range(68, 4))
    tree:append_text(string.format(", %s of %s bytes, portal %d", PORTALS_TYPES[type], tostring(range(56, 8):uint64()),
        range(24, 4):uint()))
    if answers then tree:add(f["portals.moved"], range(72, 8)) end
    if waits then tree:add(f["portals.source"], range(80, 4)) end
    if in_memory then
        tree:add(f["portals.process"], range(88, 4))
        tree:add(f["portals.address"], range(96, 8))
        tree:add(f["portals.seal_at"], range(104, 8))
        tree:add(f["portals.seal"], range(112, 8))
    end
    return size
end

-- Returns how much of a Portals message has been shown: what is left is data. Nothing of what is no more than the rest
-- of the message before it.
local function add_portals(tree, range)
    local kind = range(0, 1):uint()
    if kind == 0 and range:len() >= 72 then return add_portals_begin(tree, range) end
    local size = ({ 24, 8 })[kind]
    if range:len() ~= size or range(1, 3):uint() ~= 0 then return 0 end
    if kind == 1 and (range(16, 4):uint() == 0 or range(20, 4):uint() ~= 0) then return 0 end
    tree:add(f["portals.kind"], range(0, 1))
    tree:append_text(", " .. PORTALS_KINDS[kind])
    tree:add(f["portals.source"], range(4, 4))
    if kind == 1 then
        tree:add(f["portals.offset"], range(8, 8))
        tree:add(f["portals.slice"], range(16, 4))
    end
    return size
end

local function add_control(tree, range)
    tree:add(f["control.type"], range(0, 1))
    if range(0, 1):uint() ~= 1 or range:len() ~= 8 then return end
    tree:add(f["control.barrier"], range(4, 4))
    tree:append_text(string.format(", barrier %d", range(4, 4):uint()))
end

-- Returns where the data begins.
local function add_channel(item, payload, data, finish)
    if finish - data < 8 then return data end
    local subtype = payload(data + 2, 1):uint()
    item:add(f["channel.type"], payload(data, 2))
    item:add(f["channel.subtype"], payload(data + 2, 1))
    item:add(f["channel.channel"], payload(data + 3, 1))
    item:add(f["channel.number"], payload(data + 4, 4))
    if (subtype == 3 or subtype == 4) and finish - data == 12 then
        item:add(f["channel.life"], payload(data + 8, 4))
        return finish
    end
    return data + 8
end

-- What the flags of an isotach message announce; returns where its data begins.
local function add_behind_extension(item, payload, data, finish)
    local flags = payload(data - 14, 1):uint()
    if bit.band(flags, CLOCKED) ~= 0 and finish - data >= 8 then
        item:add(f["isotach.clock"], payload(data, 8))
        data = data + 8
    end
    if bit.band(flags, POINTER) ~= 0 and finish - data == 4 then
        item:add(f["isotach.payload_size"], payload(data, 4))
        data = finish
    end
    return data
end

-- Returns what a group word says, in words, and whether it says something and has no unknown bits.
local function add_group_word(tree, range)
    local item = tree:add(f["token.entry.group"], range)
    local said, unknown = {}, range:uint()
    for _, action in ipairs(GROUP) do
        item:add(f[action.field], range)
        if bit.band(range:uint(), action.mask) ~= 0 then
            said[#said + 1] = action.text
            unknown = unknown - action.mask
        end
    end
    local good = #said > 0 and unknown == 0
    return #said > 0 and table.concat(said, ", ") or "nothing", good
end

-- Returns whether the entry is from a host to another, or to every host with a good group word.
local function add_token_entry(tree, entry)
    local source, destination = entry(0, 2):uint(), entry(2, 2):uint()
    local item = tree:add(f["token.entry"], entry)
    item:add(f["token.entry.src"], entry(0, 2))
    local to = item:add(f["token.entry.dst"], entry(2, 2))
    local good = source ~= EVERY_HOST and source ~= destination
    if destination == EVERY_HOST then
        local said, good_word = add_group_word(item, entry(4, 4))
        to:append_text(" (every host)")
        item:set_text(string.format("Entry: %d -> every host, %s", source, said))
        good = good and good_word
    else
        item:add(f["token.entry.count"], entry(4, 4))
        item:set_text(string.format("Entry: %d -> %d, %d messages in all", source, destination, entry(4, 4):uint()))
    end
    return good
end

local function add_token(tree, payload)
    if payload:len() < 16 then return nil end
    local wanted, count = payload(8, 1):uint(), (payload:len() - 16) / 8
    local part, parts = payload(10, 2):uint() + 1, payload(12, 2):uint() + 1
    tree:add(f["token.number"], payload(0, 8))
    tree:add(f["token.wanted"], payload(8, 1))
    tree:add(f["token.further"], payload(9, 1))
    local part_item = tree:add(f["token.part"], payload(10, 2), part)
    part_item:set_text(string.format("Part: %d of %d", part, parts))
    part_item:add(f["token.parts"], payload(12, 2), parts)
    tree:add(f["token.view"], payload(14, 2))
    if payload:len() % 8 ~= 0 then return nil end
    tree:add(f["token.entries"], payload(), count):set_generated()
    local good = part <= parts
    for at = 16, payload:len() - 8, 8 do
        good = add_token_entry(tree, payload(at, 8)) and good
    end
    if not good then return nil end
    local further = payload(9, 1):uint()
    return string.format("number %s%s, part %d of %d%s, %d entries", tostring(payload(0, 8):uint64()),
        further > 0 and string.format(" and %d more", further) or "", part, parts,
        wanted > 0 and string.format(", wanted for %d hops", wanted) or "", count)
end

-- Whether there can be such a message. Sizes and offsets count its data, without the isotach extension.
local function is_possible(protocol, fragment, length, size_or_offset)
    local data = length - (ORDERED[protocol] and 24 or 0)
    if fragment == 3 then return size_or_offset == data end
    if fragment == 1 then return data > 0 and size_or_offset > data end
    return data > 0 and size_or_offset > 0 and size_or_offset + data <= 0xffffffff
end

-- Of a message of an ordered protocol; returns where its data begins, and its place for one that follows it in a run.
local function add_ordered(item, payload, at, finish, place)
    local fragment, data, operation = payload(at + 1, 1):uint(), at + 8, nil
    if fragment == 7 then
        if not place or payload(at + 6, 2):uint() == 0 then return nil end
        add_step(item, payload(at + 4, 4), place)
        operation = payload(at + 4, 1):uint()
    else
        if finish - data < 24 then return nil end
        place = add_isotach(item, payload(data, 24))
        operation = payload(data + 11, 1):uint()
        data = add_behind_extension(item, payload, data + 24, finish)
    end
    local whole = fragment == 3 or fragment == 7
    local has_accesses = (operation == 1 or operation == 2) and finish > data and whole
    if has_accesses and not add_accesses(item, payload(data, finish - data)) then return nil end
    return data, whole and place or nil
end

-- Returns where it ends, its protocol, and what an ordered one in a run may follow.
-- What the last whole token said that went along in a stream, and which that was for each that is in short: a frame is
-- shown again when others behind it have been.
local last_along, along_before = {}, {}

local function whole_before(frame, at)
    local short = string.format("%d %d", frame.number, at)
    if not frame.visited then along_before[short] = last_along[frame.stream] end
    return along_before[short]
end

-- A token that goes along with messages: as a whole, behind what its own header would say, or in short.
local function add_along(item, message, frame, at)
    if message:len() == 4 then
        local whole, short = whole_before(frame, at), message(0, 2):uint()
        item:add(f["token.number_end"], message(0, 2))
        item:add(f["token.wanted"], message(2, 1))
        item:add(f["token.further"], message(3, 1))
        if not whole then return true end
        local ahead = bit.band(short - whole.number:lower(), 0xffff)
        local number = ahead < 0x8000 and whole.number + UInt64.new(ahead) or whole.number - UInt64.new(0x10000 - ahead)
        item:add(f["token.number"], message(0, 2), number):set_generated()
        item:add(f["token.epoch"], message(0, 2), whole.epoch):set_generated()
        item:add(f["token.src"], message(0, 2), whole.source):set_generated()
        item:add(f["token.dst"], message(0, 2), whole.destination):set_generated()
        return true
    end
    if message:len() < 8 then return false end
    item:add(f["token.epoch"], message(0, 4))
    item:add(f["token.src"], message(4, 2))
    item:add(f["token.dst"], message(6, 2))
    if message:len() == 8 or not add_token(item, message(8)) then return false end
    if not frame.visited then
        last_along[frame.stream] = { number = message(8, 8):uint64(), epoch = message(0, 4):uint(),
            source = message(4, 2):uint(), destination = message(6, 2):uint() }
    end
    return true
end

local function add_message(tree, payload, at, place, frame)
    if payload:len() - at < 8 then return nil end
    local protocol, fragment = payload(at, 1):uint(), payload(at + 1, 1):uint()
    local length = payload(at + 2, 2):uint()
    if payload:len() - at - 8 < length then return nil end
    local name = PROTOCOLS[protocol] or "unknown"
    local item = tree:add(f["message"], payload(at, 8 + length))
    item:set_text(string.format("Message: %s, %s, %d bytes", name, FRAGMENTS[fragment] or "bad fragment", length))
    item:add(f["message.protocol"], payload(at, 1))
    item:add(f["message.fragment"], payload(at + 1, 1))
    item:add(f["message.length"], payload(at + 2, 2))
    if fragment ~= 7 then
        item:add(f[fragment % 2 == 1 and "message.size" or "message.offset"], payload(at + 4, 4))
    end
    local data, finish = at + 8, at + 8 + length
    if ORDERED[protocol] then
        data, place = add_ordered(item, payload, at, finish, place)
        if not data then return nil end
    else
        place = nil
    end
    if protocol == 3 and length > 0 then add_answer(item, payload(data, length)) end
    if protocol == 6 and fragment == 3 then data = add_channel(item, payload, data, finish) end
    if protocol == 8 then
        if length == 0 or not add_along(item, payload(data, length), frame, at) then return nil end
        data = finish
    end
    if protocol == 5 and fragment == 3 and length > 0 then data = data + add_active(item, payload(data, length)) end
    if protocol == 4 and fragment == 3 and length > 0 then data = data + add_portals(item, payload(data, length)) end
    if protocol == 0 and length > 0 then add_control(item, payload(data, length)) end
    if finish > data then item:add(f["message.data"], payload(data, finish - data)) end
    if ORDERED[protocol] and fragment == 7 then return finish, name, place end
    if not PROTOCOLS[protocol] or fragment > 3 then return nil end
    if not is_possible(protocol, fragment, length, payload(at + 4, 4):uint()) then return nil end
    return finish, name, place
end

local function add_data(tree, payload, frame)
    if payload:len() == 0 then return nil end
    local names, at, place = {}, 0, nil
    while at < payload:len() do
        local finish, name, follows = add_message(tree, payload, at, place, frame)
        if not finish then return nil end
        names[#names + 1] = name
        at, place = finish, follows
    end
    return table.concat(names, "+")
end

local function add_hello(tree, payload)
    if payload:len() < 17 or payload:len() ~= 17 + payload(16, 1):uint() then return nil end
    local roles = tree:add(f["hello.roles"], payload(0, 1))
    roles:add(f["hello.roles.host"], payload(0, 1))
    roles:add(f["hello.roles.token_manager"], payload(0, 1))
    roles:add(f["hello.roles.fabric"], payload(0, 1))
    tree:add(f["hello.features"], payload(1, 1)):add(f["hello.features.no_payload_crc"], payload(1, 1))
    tree:add(f["hello.mtu"], payload(2, 2))
    tree:add(f["hello.credit"], payload(4, 4))
    tree:add(f["hello.build_id"], payload(8, 8))
    -- It may end up on a terminal, whatever is in it.
    local name = payload:len() > 17 and payload(17):raw() or ""
    local printable = name:gsub("[^ -~]", ".")
    if name ~= "" then tree:add(f["hello.name"], payload(17), printable) end
    if payload(0, 1):uint() > 0x07 or payload(1, 1):uint() > 0x01 or payload(2, 2):uint() < MIN_MTU then return nil end
    if #name > MAX_NAME_SIZE or name ~= printable then return nil end
    return name == "" and "unnamed" or name
end

local function add_probe(tree, payload)
    if payload:len() < 24 then return "of the smallest size" end
    tree:add(f["probe.stream"], payload(0, 4))
    tree:add(f["probe.reserved"], payload(4, 4))
    tree:add(f["probe.number"], payload(8, 8))
    tree:add(f["probe.sent_ns"], payload(16, 8))
    if payload:len() > 24 then tree:add(f["probe.pattern"], payload(24)) end
    if payload(4, 4):uint() ~= 0 then return nil end
    return string.format("stream %d number %s", payload(0, 4):uint(), tostring(payload(8, 8):uint64()))
end

local function add_view(tree, payload)
    if payload:len() < 64 then return nil end
    local step, doubts, members = payload(0, 1):uint(), payload(2, 2):uint(), payload(4, 2):uint()
    tree:add(f["view.step"], payload(0, 1))
    tree:add(f["view.reserved"], payload(1, 1))
    tree:add(f["view.plays"], payload(6, 2))
    tree:add(f["view.view"], payload(8, 4))
    tree:add(f["view.ballot"], payload(12, 4))
    tree:add(f["view.held"], payload(16, 8))
    tree:add(f["view.last"], payload(24, 8))
    tree:add(f["view.accepted"], payload(32, 4))
    tree:add(f["view.next"], payload(36, 4))
    tree:add(f["view.cut"], payload(40, 8))
    tree:add(f["view.base"], payload(48, 8))
    tree:add(f["view.digest"], payload(56, 4))
    local part, parts = payload(60, 2):uint() + 1, payload(62, 2):uint() + 1
    local part_item = tree:add(f["view.part"], payload(60, 2), part)
    part_item:set_text(string.format("Part: %d of %d", part, parts))
    part_item:add(f["view.parts"], payload(62, 2), parts)
    if part > parts or (parts == 1 and payload(56, 4):uint() ~= 0) or (parts > 1 and doubts + members == 0) then return nil end
    if not VIEW_STEPS[step] or payload(1, 1):uint() ~= 0 or payload:len() ~= 64 + 2 * doubts + 8 * members then return nil end
    for at = 64, 62 + 2 * doubts, 2 do
        tree:add(f["view.doubt"], payload(at, 2))
    end
    for at = 64 + 2 * doubts, payload:len() - 8, 8 do
        local member = tree:add(f["view.member"], payload(at, 2))
        member:add(f["view.member.played_by"], payload(at + 2, 2))
        member:add(f["view.member.epoch"], payload(at + 4, 4))
    end
    return string.format("%s in view %d, ballot %d, %d members%s", VIEW_STEPS[step], payload(8, 4):uint(),
        payload(12, 4):uint(), members, parts > 1 and string.format(", part %d of %d", part, parts) or "")
end

local BODIES = { [1] = add_data, [5] = add_hello, [6] = add_hello, [8] = add_token, [9] = add_probe, [10] = add_view }

-- Conversations ------------------------------------------------------------------------------------------------------

-- Two nodes of a job have one, numbered from 0 as they are first seen.
local conversations, conversation_count = {}, 0

local function conversation_of(key, source, destination)
    local pair = string.format("%08x %d %d", key, math.min(source, destination), math.max(source, destination))
    if not conversations[pair] then
        conversations[pair] = conversation_count
        conversation_count = conversation_count + 1
    end
    return conversations[pair]
end

-- What another capture had is forgotten.
function isoplane.init()
    conversations, conversation_count = {}, 0
    last_along, along_before = {}, {}
end

-- The frame ---------------------------------------------------------------------------------------------------------

local function add_header(tree, tvb)
    local version = tree:add(f["version"], tvb(0, 1))
    if tvb(0, 1):uint() ~= VERSION then version:add_proto_expert_info(e.version) end
    local kind = tree:add(f["kind"], tvb(1, 1))
    if not KINDS[tvb(1, 1):uint()] then kind:add_proto_expert_info(e.kind) end
    local flags = tree:add(f["flags"], tvb(2, 2))
    flags:add(f["flags.no_payload_crc"], tvb(2, 2))
    if tvb(2, 2):uint() > FLAG_NO_PAYLOAD_CRC then flags:add_proto_expert_info(e.flags) end
    tree:add(f["key"], tvb(4, 4))
    tree:add(f["src"], tvb(8, 2))
    local destination = tree:add(f["dst"], tvb(10, 2))
    tree:add(f["node"], tvb(8, 2)):set_hidden()
    if tvb(10, 2):uint() == BROADCAST then
        destination:append_text(" (broadcast)")
        if KINDS[tvb(1, 1):uint()] and not BROADCASTS[tvb(1, 1):uint()] then
            destination:add_proto_expert_info(e.destination)
        end
    else
        tree:add(f["node"], tvb(10, 2)):set_hidden()
        tree:add(f["conversation"], tvb(8, 4), conversation_of(tvb(4, 4):uint(), tvb(8, 2):uint(), tvb(10, 2):uint()))
            :set_generated()
    end
    tree:add(f["epoch"], tvb(12, 4))
    tree:add(f["seq"], tvb(16, 4))
    tree:add(f["ack"], tvb(20, 4))
    tree:add(f["selective"], tvb(24, 8))
    tree:add(f["credit"], tvb(32, 4))
    tree:add(f["length"], tvb(36, 2))
    tree:add(f["peer_epoch"], tvb(38, 2))
end

-- Returns the payload, unless it is empty or not all there.
local function add_payload_crc(tree, tvb, length)
    local crc = tvb(40, 4)
    if length > tvb:len() - HEADER_SIZE then
        tree:add(f["payload_crc"], crc)
        tree:add_proto_expert_info(e.length)
        return nil
    end
    local payload = length > 0 and tvb(HEADER_SIZE, length) or nil
    local has_crc = bit.band(tvb(2, 2):uint(), FLAG_NO_PAYLOAD_CRC) == 0
    show_crc(tree, "payload_crc", crc, (has_crc and payload) and crc32c(payload) or 0)
    return payload
end

-- What no key is known for is shown as it stands. Padding is never so long: it ends 60 bytes from the beginning.
local function add_trailer(tree, tvb)
    local item = tree:add(f["trailer"], tvb)
    local ms = tvb(2, 6):uint64()
    item:add(f["trailer.node"], tvb(0, 2))
    item:add(f["trailer.started"], tvb(2, 6), NSTime.new((ms / 1000):tonumber(), (ms % 1000):tonumber() * 1000000))
    item:add(f["trailer.salt"], tvb(8, 8))
    item:add(f["trailer.generation"], tvb(16, 4))
    item:add(f["trailer.number"], tvb(16, 8))
    item:add(f["trailer.proof"], tvb(24, 8))
    item:add(f["trailer.tag"], tvb(32, 16))
end

function isoplane.dissector(tvb, pinfo, root)
    if tvb:len() < HEADER_SIZE then return 0 end
    pinfo.cols.protocol = "isoplane"
    local kind = tvb(1, 1):uint()
    local kind_name = KINDS[kind] or "unknown kind"
    local source, destination = tvb(8, 2):uint(), tvb(10, 2):uint()
    local length = tvb(36, 2):uint()
    local summary = string.format("%s %d -> %s seq %d ack %d", kind_name, source,
        destination == BROADCAST and "broadcast" or tostring(destination), tvb(16, 4):uint(), tvb(20, 4):uint())

    local finish = math.min(HEADER_SIZE + length, tvb:len())
    local tree = root:add(isoplane, tvb(0, finish), "isoplane, " .. summary)
    add_header(tree, tvb)
    local payload = add_payload_crc(tree, tvb, length)
    show_crc(tree, "header_crc", tvb(44, 4), crc32c(tvb(0, 44)))

    if payload then
        local item = tree:add(f["payload"], payload)
        local frame = { number = pinfo.number, visited = pinfo.visited,
            stream = string.format("%s %d %d %s", tvb(4, 4), source, destination, tvb(12, 4)) }
        local body = BODIES[kind] and BODIES[kind](tree, payload, frame)
        if body then
            summary = summary .. ", " .. body
        else
            item:add_proto_expert_info(e.body)
        end
    elseif length == 0 and BODIES[kind] and not MAY_BE_EMPTY[kind] then
        tree:add_proto_expert_info(e.body)
    end
    if tvb:len() == finish + TRAILER_SIZE and length == finish - HEADER_SIZE then
        add_trailer(tree, tvb(finish))
    elseif tvb:len() > finish then
        tree:add(f["padding"], tvb(finish))
    end
    pinfo.cols.info = summary
    return tvb:len()
end

-- Registration, renewed when a preference changes --------------------------------------------------------------------

local ethertypes = DissectorTable.get("ethertype")
local udp_ports = DissectorTable.get("udp.port")
local registered = {}

local function register()
    if registered.ethertype then
        ethertypes:remove(registered.ethertype, isoplane)
        udp_ports:remove(registered.udp_port, isoplane)
    end
    registered = { ethertype = isoplane.prefs.ethertype, udp_port = isoplane.prefs.udp_port }
    ethertypes:add(registered.ethertype, isoplane)
    udp_ports:add(registered.udp_port, isoplane)
end

isoplane.prefs_changed = register
register()
