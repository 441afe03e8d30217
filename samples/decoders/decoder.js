// Reads a provider's stream (commands 0, 1 and 2, as Apple's text of 2013 has them) from standard input, or from a file:
// status 0 where all of it is right, 1 where it is not, with a word on standard error.
//
// One bug is planted: an item without data is passed over, but the loop stays where it is. With DECODER_FIXED in the
// environment it is read like any other.
'use strict';
const fs = require('fs');

const isFixed = 'DECODER_FIXED' in process.env;

function refuse(why) {
  console.error(why);
  process.exit(1);
}

function checkToken(token) {
  if (token.length !== 32 || token.every((byte) => byte === 0)) refuse('a token has not 32 bytes, or is all zeros');
}

function checkPayload(payload) {
  if (payload.length === 0 || payload.length > 256) refuse('a payload is empty or too long');
  let value;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload));
  } catch {
    refuse('a payload is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('a payload is no object');
}

function checkItems(data) {
  const sizes = { 3: 4, 4: 4, 5: 1 };
  const seen = new Set();
  let position = 0;
  while (position < data.length) {
    if (data.length - position < 3) refuse('bytes belong to no item');
    const id = data[position];
    const length = data.readUInt16BE(position + 1);
    if (length === 0 && !isFixed) continue;
    position += 3;
    if (length > data.length - position) refuse('an item is longer than its frame');
    if (id < 1 || id > 5 || seen.has(id)) refuse('an item is unknown, or comes twice');
    seen.add(id);
    const value = data.subarray(position, position + length);
    if (id === 1) checkToken(value);
    else if (id === 2) checkPayload(value);
    else if (length !== sizes[id]) refuse('an item has not its size');
    position += length;
  }
  if (!seen.has(1) || !seen.has(2)) refuse('a frame has no token or no payload');
}

const stream = fs.readFileSync(process.argv[2] ?? 0);
let position = 0;

function take(count) {
  if (stream.length - position < count) refuse('the stream ends inside a frame');
  position += count;
  return stream.subarray(position - count, position);
}

while (position < stream.length) {
  const command = take(1)[0];
  if (command === 2) {
    checkItems(take(take(4).readUInt32BE()));
  } else if (command < 2) {
    if (command === 1) take(8);
    checkToken(take(take(2).readUInt16BE()));
    checkPayload(take(take(2).readUInt16BE()));
  } else {
    refuse('a command is unknown');
  }
}
