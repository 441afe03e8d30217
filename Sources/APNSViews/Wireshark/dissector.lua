<!--@first-->
--
-- To write it again:    apnscope export wireshark -w apnscope.lua
-- To use it once:       tshark -X lua_script:apnscope.lua -r capture.pcap -Y apns
-- To install it:        apnscope export wireshark --install
-- For another port:     -d tcp.port==9999,apns    or    -d tcp.port==9999,apns_feedback
-- To print fields:      -T fields -e apns.type -e apns.identifier -e apns.token
--
-- Fields are named as in the NDJSON of apnscope. Those of an item's header are apns.item.id and so on.

-- The frame types. To change them, edit the file for `--frames`, not this text.
local catalog_text = <!--@catalog-->

-- The dissector proper. It knows nothing about a particular frame type: the catalog above describes them all.

local apns = Proto("apns", "Apple Push Notification service, binary provider protocol")
local feedback = Proto("apns_feedback", "Apple Push Notification service, feedback")

-- Wireshark rejects a packet with more than a million tree items. The rest of a longer list is shown as bytes.
local most_items = 100000

-- The catalog -------------------------------------------------------------------------------------------------------

-- A character in UTF-8, which Lua 5.2 has no function for.
local function utf8_text(code)
  if code < 0x80 then return string.char(code) end
  local tail, limit = "", 0x40
  repeat
    tail = string.char(0x80 + code % 0x40) .. tail
    code, limit = math.floor(code / 0x40), math.floor(limit / 2)
  until code < limit
  return string.char(0x100 - 2 * limit + code) .. tail
end

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- The value that begins at `at` in well-formed JSON without `null`, and the offset of the next token.
local function read_json(text, at)
  local function after(position) return text:find("[^%s,:]", position) end
  at = after(at)
  local first = text:sub(at, at)
  if first == "{" or first == "[" then
    local result = {}
    at = after(at + 1)
    while not text:find("^[%]}]", at) do
      local key = #result + 1
      if first == "{" then key, at = read_json(text, at) end
      result[key], at = read_json(text, at)
    end
    return result, after(at + 1)
  elseif first == '"' then
    local parts, part = {}, nil
    at = at + 1
    while true do
      part, at = text:match('^([^"\\]*)()', at)
      parts[#parts + 1] = part
      if text:sub(at, at) == '"' then return table.concat(parts), after(at + 1) end
      local letter = text:sub(at + 1, at + 1)
      local code = letter == "u" and tonumber(text:sub(at + 2, at + 5), 16)
      at = at + (code and 6 or 2)
      if code and code >= 0xd800 and code < 0xdc00 then
        code = 0x10000 + (code - 0xd800) * 0x400 + tonumber(text:sub(at + 2, at + 5), 16) - 0xdc00
        at = at + 6
      end
      parts[#parts + 1] = code and utf8_text(code) or escapes[letter] or letter
    end
  end
  local word, stop = text:match("^([%w.+-]+)()", at)
  if word == "true" or word == "false" then return word == "true", after(stop) end
  return tonumber(word), after(stop)
end

local catalog = read_json(catalog_text, 1)

-- Wireshark's names consist of letters, digits, `-` and `_`.
local function member_name(name) return (name:gsub("[^a-zA-Z0-9-]", "_")) end

local function title_of(name, title) return title == "" and name or title end

-- Adds what the dissector needs to a field: names that Wireshark takes, and its items by id.
local function prepare(field)
  field.member, field.title = member_name(field.name), title_of(field.name, field.title)
  if field.length_bytes then
    local name = field.length_name
    field.length = {
      width = field.length_bytes, member = member_name(name), title = title_of(name, field.length_title),
    }
  end
  if not field.items then return end
  field.known = {}
  for _, item in ipairs(field.items) do
    prepare(item.field)
    field.known[item.id] = item
  end
end

for _, frame in ipairs(catalog.frames) do
  frame.title = title_of(frame.name, frame.title)
  for _, field in ipairs(frame.fields) do prepare(field) end
end

-- Fields ------------------------------------------------------------------------------------------------------------

-- Fields that the catalog does not define.
local fields = {
  type = ProtoField.string("apns.type", "Type"),
  role = ProtoField.string("apns.role", "Role of the sender"),
  length = ProtoField.uint32("apns.length", "Length of the frame"),
  condition = ProtoField.string("apns.condition", "Condition"),
  needed = ProtoField.uint64("apns.needed", "Missing bytes"),
  command = ProtoField.uint8("apns.command", "Command"),
  item = ProtoField.none("apns.item", "Item"),
  item_id = ProtoField.uint8("apns.item.id", "Item ID"),
  item_name = ProtoField.string("apns.item.name", "Item name"),
  item_length = ProtoField.uint16("apns.item.length", "Data length"),
  item_data = ProtoField.bytes("apns.item.data", "Data"),
  rest = ProtoField.bytes("apns.rest", "Bytes after the last complete field"),
  unparsed = ProtoField.bytes("apns.unparsed", "Bytes that belong to no frame"),
  reason = ProtoField.string("apns.reason", "Reason"),
}

local experts = {
  truncated = ProtoExpert.new(
    "apns.expert.truncated", "The frame is truncated", expert.group.MALFORMED, expert.severity.ERROR),
  oversized = ProtoExpert.new(
    "apns.expert.oversized", "A length is too large", expert.group.MALFORMED, expert.severity.ERROR),
  malformed = ProtoExpert.new(
    "apns.expert.malformed", "The frame is malformed", expert.group.MALFORMED, expert.severity.ERROR),
  item = ProtoExpert.new(
    "apns.expert.unknown_item", "Unknown item", expert.group.UNDECODED, expert.severity.NOTE),
  command = ProtoExpert.new(
    "apns.expert.unknown_command", "Unknown command", expert.group.UNDECODED, expert.severity.ERROR),
  list = ProtoExpert.new(
    "apns.expert.long_list", "The list has too many items to show", expert.group.UNDECODED, expert.severity.NOTE),
}

local function capitalized(title) return (title:gsub("^%l", string.upper)) end

-- Calls `visit` with each field of the catalog, and after a list with those of its items.
local function each_field(visit)
  local function visit_all(field)
    visit(field)
    for _, item in ipairs(field.items or {}) do visit_all(item.field) end
  end
  for _, frame in ipairs(catalog.frames) do
    for _, field in ipairs(frame.fields) do visit_all(field) end
  end
end

-- The content that all fields with one name have in common, since Wireshark has one type for a name.
local function common(one, other)
  if one == nil or one == other then return other end
  local numbers = { date = true, integer = true }
  local texts = { text = true, json = true }
  if numbers[one] and numbers[other] then return "integer" end
  if texts[one] and texts[other] then return "text" end
  return "bytes"
end

local contents, widths = {}, {}

local function measure(member, content, width)
  contents[member] = common(contents[member], content)
  widths[member] = math.max(widths[member] or 1, width or 1)
end

local function integer_field(abbreviation, title, width, display, names)
  local kinds = { ProtoField.uint8, ProtoField.uint16, ProtoField.uint24, ProtoField.uint32 }
  return (kinds[width] or ProtoField.uint64)(abbreviation, title, display, names)
end

local function new_field(member, title, field)
  local content, width = contents[member], widths[member]
  -- An item's field may have the name of a field above, which no name with a dot has.
  local abbreviation = (fields[member] and "apns.value." or "apns.") .. member
  title = capitalized(title)
  if content == "date" then return ProtoField.absolute_time(abbreviation, title, base.UTC) end
  if content == "integer" then
    local names
    if field.codes and width <= 4 then
      names = {}
      for code, name in pairs(field.codes) do
        if #code <= 10 and tonumber(code) <= 4294967295 then names[tonumber(code)] = name end
      end
    end
    return integer_field(abbreviation, title, width, field.meaning == "identifier" and base.DEC_HEX or base.DEC, names)
  end
  if content == "text" or content == "json" then return ProtoField.string(abbreviation, title, base.UNICODE) end
  return ProtoField.bytes(abbreviation, title)
end

local function make_fields()
  local all = {}
  for _, field in pairs(fields) do all[#all + 1] = field end
  each_field(function(field)
    if field.type ~= "items" then
      local is_date = field.meaning == "unix-seconds" and field.bytes <= 4
      measure(field.member, is_date and "date" or field.type, field.bytes)
    end
    if field.length then measure(field.length.member, "integer", field.length.width) end
    if field.named then measure(field.member .. "_name", "text") end
  end)
  local known = {}
  -- Fields that look the same share one registration.
  local function register(member, title, field)
    local key = table.concat({ member, title, tostring(field.codes), tostring(field.meaning == "identifier") }, "\0")
    if not known[key] then
      known[key] = new_field(member, title, field)
      all[#all + 1] = known[key]
    end
    return known[key]
  end
  each_field(function(field)
    if field.type ~= "items" then field.proto = register(field.member, field.title, field) end
    if field.length then field.length.proto = register(field.length.member, field.length.title, {}) end
    if field.named then field.name_proto = register(field.member .. "_name", field.title .. " name", {}) end
  end)
  apns.fields = all
  local notes = {}
  for _, note in pairs(experts) do notes[#notes + 1] = note end
  apns.experts = notes
end

make_fields()

-- The frame types of each role by their first byte; `any` is one without a command byte.
local types = {}
for _, frame in ipairs(catalog.frames) do
  types[frame.role] = types[frame.role] or {}
  types[frame.role][frame.command or "any"] = frame
  -- The fewest bytes that follow each field, and whether a length is among them.
  local rest, has_length = 0, false
  for index = #frame.fields, 1, -1 do
    local field = frame.fields[index]
    field.after, field.is_last_length = rest, not has_length
    has_length = has_length or field.length ~= nil
    rest = rest + (field.length_bytes or field.bytes)
  end
end

local function type_of(role, byte)
  local known = types[role] or {}
  return known[byte] or known.any
end

-- Framing -----------------------------------------------------------------------------------------------------------

-- The end of the frame at `at` according to its lengths. If bytes are missing, this is the least possible end, and
-- the second result says whether it is exact.
local function frame_end(tvb, at, frame)
  local available, position = tvb:len(), at + (frame.command and 1 or 0)
  for _, field in ipairs(frame.fields) do
    position = position + (field.length_bytes or field.bytes)
    if position > available then return position + field.after, false end
    local width = field.length_bytes
    if width then
      position = position + tvb(position - width, width):uint()
      if position > available or position - at > catalog.longest_frame then
        return position + field.after, field.is_last_length
      end
    end
  end
  return position, true
end

-- Values ------------------------------------------------------------------------------------------------------------

local json = nil
pcall(function() json = Dissector.get("json") end)

local function number_text(range)
  return range:len() <= 4 and string.format("%d", range:uint()) or tostring(range:uint64())
end

-- What the Info column says about a value.
local summaries = {
  identifier = function(range) return "id=" .. number_text(range) end,
  token = function(range)
    if range:len() <= 4 then return "token=" .. tostring(range:bytes()):lower() end
    return "token=" .. tostring(range:range(0, 4):bytes()):lower() .. "…"
  end,
  priority = number_text,
  status = function(range, field)
    local code = number_text(range)
    return "status=" .. code .. (field.codes[code] and " (" .. field.codes[code] .. ")" or "")
  end,
}

local known_roles = {}
for _, role in ipairs(catalog.field_roles) do known_roles[role] = true end
for role in pairs(summaries) do assert(known_roles[role], "unknown role of a field: " .. role) end

local function add_json(frame, item, range)
  if not json or range:len() == 0 then return end
  pcall(function() json:call(range:tvb(), frame.pinfo, item) end)
end

local function add_value(frame, tree, field, at, size)
  local range = frame.tvb(at, size)
  local content = contents[field.member]
  local item
  if content == "text" or content == "json" then
    item = tree:add_packet_field(field.proto, range, ENC_UTF_8)
  elseif content == "date" then
    item = tree:add(field.proto, range, NSTime.new(range:uint(), 0))
  else
    item = tree:add(field.proto, range)
  end
  if field.zero and size > 0 and number_text(range) == "0" then item:append_text(" (" .. field.zero .. ")") end
  if field.named then
    local name = field.codes[number_text(range)]
    if name then tree:add(field.name_proto, name):set_generated() end
  end
  if field.type == "json" then add_json(frame, item, range) end
  local summary = summaries[field.role]
  if summary then frame.summary[#frame.summary + 1] = summary(range, field) end
end

-- Adds the items of a list from `at` up to `limit`; `items` has the documented ones by id. Returns the offset of the first byte that is not part of a complete item;
-- nil if there is none.
local function add_items(frame, tree, items, at, limit)
  local tvb = frame.tvb
  while at < limit do
    if limit - at < catalog.item_header then return at end
    if frame.items >= most_items then
      tree:add_proto_expert_info(experts.list)
      return at
    end
    frame.items = frame.items + 1
    local id, length = tvb(at, 1):uint(), tvb(at + 1, 2):uint()
    local start = at + catalog.item_header
    local stop = math.min(start + length, limit)
    local known = items[id]
    local node = tree:add(fields.item, tvb(at, stop - at))
    node:set_text(string.format("Item %d: %s, length %d", id, known and known.name or "unknown", length))
    node:add(fields.item_id, tvb(at, 1))
    if known then node:add(fields.item_name, known.name):set_generated() end
    local length_node = node:add(fields.item_length, tvb(at + 1, 2))
    if stop - start < length then
      length_node:add_proto_expert_info(
        frame.needed > 0 and experts.truncated or experts.malformed,
        string.format("The item claims %d bytes; %d follow", length, stop - start))
      return start
    end
    if not known then
      frame.is_malformed = true
      node:add(fields.item_data, tvb(start, length))
      node:add_proto_expert_info(experts.item)
    elseif known.field.known then
      local rest = add_items(frame, node, known.field.known, start, stop)
      if rest then
        frame.is_malformed = true
        node:add(fields.rest, tvb(rest, stop - rest)):add_proto_expert_info(experts.malformed)
      end
    elseif known.field.bytes and known.field.bytes ~= length then
      frame.is_malformed = true
      node:add(fields.item_data, tvb(start, length))
      node:add_proto_expert_info(
        experts.malformed, string.format("The data must have %d bytes, not %d", known.field.bytes, length))
    else
      add_value(frame, node, known.field, start, length)
    end
    at = stop
  end
end

-- Adds the fields of a frame that ends at `limit`. Returns like `add_items`.
local function add_fields(frame, tree, at, limit)
  local tvb = frame.tvb
  if frame.type.command then
    tree:add(fields.command, tvb(at, 1)):append_text(" (" .. frame.type.title .. ")")
    at = at + 1
  end
  for _, field in ipairs(frame.type.fields) do
    local size, start, width = field.bytes, at, field.length_bytes
    if width then
      start = at + width
      if start > limit then return at end
      size = tvb(at, width):uint()
      tree:add(field.length.proto, tvb(at, width))
    end
    local stop = math.min(start + size, limit)
    if field.known then
      local rest = add_items(frame, tree, field.known, start, stop)
      if rest then return rest end
    elseif stop - start == size then
      add_value(frame, tree, field, start, size)
    end
    if stop - start < size then return not field.known and start or nil end
    at = stop
  end
end

-- Frames ------------------------------------------------------------------------------------------------------------

-- Adds the frame from `at` up to `limit`. If it is truncated, `needed` bytes are missing after `limit`.
local function add_frame(tvb, pinfo, tree, frame_type, at, limit, needed)
  local frame = { tvb = tvb, pinfo = pinfo, type = frame_type, needed = needed, summary = { frame_type.title }, items = 0 }
  local node = tree:add(apns, tvb(at, limit - at))
  node:add(fields.type, frame_type.name):set_generated()
  node:add(fields.role, frame_type.role):set_generated()
  node:add(fields.length, limit - at):set_generated()
  local rest = add_fields(frame, node, at, limit)
  if rest and rest < limit then node:add(fields.rest, tvb(rest, limit - rest)) end
  if needed > 0 then
    node:add(fields.condition, "truncated"):set_generated()
    node:add(fields.needed, UInt64.new(needed)):set_generated()
    local whole = limit - at + needed
    if whole > catalog.longest_frame then
      node:add_proto_expert_info(
        experts.oversized, string.format("The frame claims %d bytes; the most that is plausible is %d", whole,
          catalog.longest_frame))
    else
      node:add_proto_expert_info(experts.truncated, string.format("%d bytes of the frame are missing", needed))
    end
  elseif rest or frame.is_malformed then
    node:add(fields.condition, "malformed"):set_generated()
    if rest then node:add_proto_expert_info(experts.malformed) end
  end
  local summary = table.concat(frame.summary, " ")
  node:append_text(", " .. summary)
  return summary
end

local function add_unparsed(tvb, tree, at)
  local range = tvb(at, tvb:len() - at)
  local node = tree:add(apns, range)
  node:append_text(", bytes that belong to no frame")
  node:add(fields.unparsed, range)
  node:add(fields.reason, "unknown-command"):set_generated()
  node:add_proto_expert_info(experts.command, string.format("No frame of this role starts with %d", tvb(at, 1):uint()))
end

-- Whether the bytes begin like a TLS record.
local function is_tls(tvb)
  if tvb:len() < 3 then return false end
  local kind, version = tvb(0, 1):uint(), tvb(1, 2):uint()
  return kind >= 20 and kind <= 24 and version >= 0x0300 and version <= 0x0304
end

local function show_in_columns(pinfo, summaries)
  pinfo.cols.protocol = "APNS"
  -- A packet may end one reassembled frame and contain others: their texts follow each other.
  local text = table.concat(summaries, ", ")
  if pinfo.private["apns"] then text = ", " .. text end
  pinfo.private["apns"] = "shown"
  pinfo.cols.info:set(text)
  pinfo.cols.info:fence()
end

-- Dissects the bytes that `role` sent. Returns how many of them were consumed; 0 if they are TLS.
local function dissect(tvb, pinfo, tree, role)
  local at, available, shown = 0, tvb:len(), {}
  if available > 0 and not type_of(role, tvb(0, 1):uint()) and is_tls(tvb) then return 0 end
  while at < available do
    local frame_type = type_of(role, tvb(at, 1):uint())
    if not frame_type then
      add_unparsed(tvb, tree, at)
      shown[#shown + 1] = "unparsed bytes"
      at = available
      break
    end
    local stop, is_exact = frame_end(tvb, at, frame_type)
    if stop > available and stop - at <= catalog.longest_frame and pinfo.can_desegment > 0 then
      pinfo.desegment_offset = at
      pinfo.desegment_len = is_exact and stop - available or DESEGMENT_ONE_MORE_SEGMENT
      break
    end
    local limit = stop - at > catalog.longest_frame and available or math.min(stop, available)
    shown[#shown + 1] = add_frame(tvb, pinfo, tree, frame_type, at, limit, stop - limit)
    at = limit
  end
  if #shown > 0 then show_in_columns(pinfo, shown) end
  return available
end

-- Roles and ports ---------------------------------------------------------------------------------------------------

local roles, role_names = {}, { { 1, "auto", 0 } }
for _, frame in ipairs(catalog.frames) do
  if not roles[frame.role] then
    roles[#roles + 1], roles[frame.role] = frame.role, true
    role_names[#roles + 1] = { #roles + 1, frame.role, #roles }
  end
end

apns.prefs.role = Pref.enum(
  "Role of the sender", 0, "Which frames to expect. By default the port decides: the server's side is the gateway.",
  role_names, false)
apns.prefs.push_ports = Pref.range(
  "Ports of the push gateway", tostring(catalog.push_port), "Notifications are sent to these ports.", 65535)
apns.prefs.feedback_ports = Pref.range(
  "Ports of the feedback service", tostring(catalog.feedback_port), "Feedback tuples are sent from these ports.",
  65535)

-- Whether the server sent the packet: its port is the one that selected this dissector, otherwise the lower one.
local function is_from_server(pinfo)
  local from, to, match = pinfo.src_port, pinfo.dst_port, pinfo.match_uint
  if match == to then return false end
  return match == from or from < to
end

function apns.dissector(tvb, pinfo, tree)
  local role = roles[apns.prefs.role] or (is_from_server(pinfo) and "gateway" or "provider")
  return dissect(tvb, pinfo, tree, role)
end

-- Only the server sends feedback. A client that writes to the feedback service usually sends notifications.
function feedback.dissector(tvb, pinfo, tree)
  local role = roles[apns.prefs.role] or (is_from_server(pinfo) and "feedback" or "provider")
  return dissect(tvb, pinfo, tree, role)
end

local registered = {}

-- Registers `protocol` for a range of ports such as `2195,3000-3002`, instead of its earlier ones.
local function register_ports(protocol, ports)
  if registered[protocol.name] == ports then return end
  for _, name in ipairs({ "tcp.port", "tls.port" }) do
    local found, ports_table = pcall(DissectorTable.get, name)
    if found and ports_table then
      local earlier = registered[protocol.name]
      if earlier and earlier ~= "" then ports_table:remove(earlier, protocol) end
      if ports ~= "" then ports_table:add(ports, protocol) end
    end
  end
  registered[protocol.name] = ports
end

local function register_all_ports()
  register_ports(apns, apns.prefs.push_ports)
  register_ports(feedback, apns.prefs.feedback_ports)
end

apns.prefs_changed = register_all_ports
register_all_ports()
