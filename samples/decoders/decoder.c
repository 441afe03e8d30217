// Reads a provider's stream (commands 0, 1 and 2, as Apple's text of 2013 has them) from standard input, or from a file:
// status 0 where all of it is right, 1 where it is not, with a word on standard error.
//
// One bug is planted: it copies the token of a command 2 frame by the length that the item claims, before it looks at that
// length. With DECODER_FIXED in the environment it looks first.
//
//   gcc -O2 -D_FORTIFY_SOURCE=2 -o decoder decoder.c
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

static bool is_fixed;

static void refuse(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

// JSON, and the UTF-8 around it.

struct text {
  const byte *at, *end;
};

static int peek(struct text *text) { return text->at < text->end ? *text->at : -1; }

static void blanks(struct text *text) {
  while (text->at < text->end && strchr(" \t\r\n", *text->at) && *text->at) text->at++;
}

static bool take(struct text *text, const char *word) {
  size_t count = strlen(word);
  if ((size_t)(text->end - text->at) < count || memcmp(text->at, word, count)) return false;
  text->at += count;
  return true;
}

static bool character(struct text *text) {
  byte lead = *text->at++;
  if (lead < 0x80) return true;
  int more = lead >= 0xc2 && lead <= 0xdf ? 1 : lead >= 0xe0 && lead <= 0xef ? 2 : lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
  if (more == 0 || text->end - text->at < more) return false;
  byte low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  byte high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (int index = 0; index < more; index++, low = 0x80, high = 0xbf) {
    byte next = *text->at++;
    if (next < low || next > high) return false;
  }
  return true;
}

static bool string(struct text *text) {
  if (!take(text, "\"")) return false;
  while (text->at < text->end) {
    if (take(text, "\"")) return true;
    if (*text->at < 0x20) return false;
    if (take(text, "\\")) {
      if (take(text, "u")) {
        for (int index = 0; index < 4; index++, text->at++) {
          if (peek(text) <= 0 || !strchr("0123456789abcdefABCDEF", *text->at)) return false;
        }
      } else if (peek(text) <= 0 || !strchr("\"\\/bfnrt", *text->at++)) {
        return false;
      }
    } else if (!character(text)) {
      return false;
    }
  }
  return false;
}

static bool digits(struct text *text) {
  const byte *start = text->at;
  while (peek(text) >= '0' && peek(text) <= '9') text->at++;
  return text->at > start;
}

static bool number(struct text *text) {
  take(text, "-");
  if (!take(text, "0") && !digits(text)) return false;
  if (take(text, ".") && !digits(text)) return false;
  if (take(text, "e") || take(text, "E")) {
    if (!take(text, "+")) take(text, "-");
    return digits(text);
  }
  return true;
}

static bool value(struct text *text, int depth) {
  if (depth > 500) return false;
  blanks(text);
  bool is_object = peek(text) == '{';
  if (!is_object && peek(text) != '[') {
    if (peek(text) == '"') return string(text);
    return take(text, "true") || take(text, "false") || take(text, "null") || number(text);
  }
  const char *close = is_object ? "}" : "]";
  text->at++;
  blanks(text);
  if (take(text, close)) return true;
  do {
    if (is_object) {
      blanks(text);
      if (!string(text)) return false;
      blanks(text);
      if (!take(text, ":")) return false;
    }
    if (!value(text, depth + 1)) return false;
    blanks(text);
  } while (take(text, ","));
  return take(text, close);
}

// Frames.

static unsigned long read_number(const byte *at, int width) {
  unsigned long number = 0;
  while (width-- > 0) number = number << 8 | *at++;
  return number;
}

static void check_token(const byte *data, size_t length) {
  static const byte zeros[32];
  if (length != 32) refuse("a token has not 32 bytes");
  if (memcmp(data, zeros, 32) == 0) refuse("a token is all zeros");
}

static void check_payload(const byte *data, size_t length) {
  if (length == 0 || length > 256) refuse("a payload is empty or too long");
  struct text text = {data, data + length};
  blanks(&text);
  if (peek(&text) != '{' || !value(&text, 0)) refuse("a payload is no JSON object");
  blanks(&text);
  if (text.at < text.end) refuse("bytes follow a payload's end");
}

static void check_items(const byte *at, const byte *end) {
  static const size_t sizes[] = {0, 0, 0, 4, 4, 1};
  byte token[32];
  bool seen[6] = {false};
  while (at < end) {
    if (end - at < 3) refuse("bytes belong to no item");
    byte id = at[0];
    size_t length = read_number(at + 1, 2);
    at += 3;
    if (length > (size_t)(end - at)) refuse("an item is longer than its frame");
    if (id < 1 || id > 5 || seen[id]) refuse("an item is unknown, or comes twice");
    seen[id] = true;
    if (sizes[id] && length != sizes[id]) refuse("an item has not its size");
    if (id == 1) {
      if (is_fixed) check_token(at, length);
      memcpy(token, at, length);
      check_token(token, length);
    }
    if (id == 2) check_payload(at, length);
    at += length;
  }
  if (!seen[1] || !seen[2]) refuse("a frame has no token or no payload");
}

static const byte *counted(const byte **at, const byte *end, int width, size_t *length) {
  if (end - *at < width) refuse("the stream ends inside a frame");
  *length = read_number(*at, width);
  const byte *data = *at + width;
  if (*length > (size_t)(end - data)) refuse("the stream ends inside a frame");
  *at = data + *length;
  return data;
}

int main(int count, char **arguments) {
  is_fixed = getenv("DECODER_FIXED") != NULL;
  FILE *file = count > 1 ? fopen(arguments[1], "rb") : stdin;
  if (!file) refuse("no such file");
  static byte stream[1 << 22];
  const byte *at = stream, *end = stream + fread(stream, 1, sizeof stream, file);
  while (at < end) {
    byte command = *at++;
    size_t length;
    if (command == 2) {
      const byte *data = counted(&at, end, 4, &length);
      check_items(data, data + length);
      continue;
    }
    if (command > 2) refuse("a command is unknown");
    if (command == 1) {
      if (end - at < 8) refuse("the stream ends inside a frame");
      at += 8;
    }
    const byte *token = counted(&at, end, 2, &length);
    check_token(token, length);
    const byte *payload = counted(&at, end, 2, &length);
    check_payload(payload, length);
  }
  return 0;
}
