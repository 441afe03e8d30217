-- What a user of tshark would write: a dissector of the frames on port 2195, with Wireshark's own for the payloads.
local apns = Proto("apns", "Apple Push Notification service, binary")
local field = {
  command = ProtoField.uint8("apns.command", "Command"),
  identifier = ProtoField.uint32("apns.identifier", "Identifier", base.HEX),
  expiry = ProtoField.uint32("apns.expiry", "Expiry"),
  frame_length = ProtoField.uint32("apns.frame_length", "Frame length"),
  item = ProtoField.uint8("apns.item", "Item"),
  length = ProtoField.uint16("apns.length", "Length"),
  token = ProtoField.bytes("apns.token", "Token"),
  payload = ProtoField.string("apns.payload", "Payload"),
  priority = ProtoField.uint8("apns.priority", "Priority"),
  status = ProtoField.uint8("apns.status", "Status"),
}
apns.fields = field
local json = Dissector.get("json")

-- The frame's size, or nil where its bytes do not say it yet.
local function size(b, at)
  local command, left = b(at, 1):uint(), b:len() - at
  if command == 8 then return 6 end
  if command == 2 then return left >= 5 and 5 + b(at + 1, 4):uint() or nil end
  if command > 2 then return left end
  local head = command == 0 and 1 or 9
  if left < head + 2 then return nil end
  local token = b(at + head, 2):uint()
  if left < head + token + 4 then return nil end
  return head + token + 4 + b(at + head + 2 + token, 2):uint()
end

local function payload(b, at, length, packet, tree)
  tree:add(field.payload, b(at, length))
  json:call(b(at, length):tvb(), packet, tree)
end

local function flat(b, at, packet, tree)
  local token = b(at, 2):uint()
  tree:add(field.length, b(at, 2))
  tree:add(field.token, b(at + 2, token))
  at = at + 2 + token
  tree:add(field.length, b(at, 2))
  payload(b, at + 2, b(at, 2):uint(), packet, tree)
end

local function items(b, at, stop, packet, tree)
  while at + 3 <= stop do
    local id, length = b(at, 1):uint(), b(at + 1, 2):uint()
    tree:add(field.item, b(at, 1))
    tree:add(field.length, b(at + 1, 2))
    at = at + 3
    if id == 1 then tree:add(field.token, b(at, length))
    elseif id == 2 then payload(b, at, length, packet, tree)
    elseif id == 3 then tree:add(field.identifier, b(at, length))
    elseif id == 4 then tree:add(field.expiry, b(at, length))
    elseif id == 5 then tree:add(field.priority, b(at, length)) end
    at = at + length
  end
end

function apns.dissector(b, packet, root)
  local at = 0
  while at < b:len() do
    local length = size(b, at)
    if not length or at + length > b:len() then
      packet.desegment_offset = at
      packet.desegment_len = length and at + length - b:len() or DESEGMENT_ONE_MORE_SEGMENT
      return
    end
    local tree, command = root:add(apns, b(at, length)), b(at, 1):uint()
    tree:add(field.command, b(at, 1))
    if command == 0 then
      flat(b, at + 1, packet, tree)
    elseif command == 1 then
      tree:add(field.identifier, b(at + 1, 4))
      tree:add(field.expiry, b(at + 5, 4))
      flat(b, at + 9, packet, tree)
    elseif command == 2 then
      tree:add(field.frame_length, b(at + 1, 4))
      items(b, at + 5, at + length, packet, tree)
    elseif command == 8 then
      tree:add(field.status, b(at + 1, 1))
      tree:add(field.identifier, b(at + 2, 4))
    end
    at = at + length
  end
end

DissectorTable.get("tcp.port"):add(2195, apns)
