// The stand-in for the limit: takes every frame of a mapped file apart and parses each payload with simdjson, the fastest
// parser of JSON there is; it says nothing of what it finds. usage: FILE of raw frames
#include <fcntl.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>

static unsigned number(const unsigned char *p, int width) {
  unsigned value = 0;
  while (width--) value = value << 8 | *p++;
  return value;
}

int main(int, char **arguments) {
  int file = open(arguments[1], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) return 3;
  size_t size = status.st_size;
  auto bytes = (const unsigned char *)mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  auto end = bytes + size;
  simdjson::dom::parser parser;
  static unsigned char padded[1 << 17];
  size_t frames = 0, bad = 0, alerts = 0;

  auto parse = [&](const unsigned char *payload, unsigned length) {
    if (payload + length + simdjson::SIMDJSON_PADDING > end) payload = (unsigned char *)memcpy(padded, payload, length);
    simdjson::dom::element all, alert;
    simdjson::dom::object aps;
    if (parser.parse(payload, length, false).get(all) || all["aps"].get(aps)) {
      bad++;
    } else if (!aps["alert"].get(alert)) {
      alerts++;
    }
  };
  for (auto p = bytes; p < end; frames++) {
    if (*p == 0 || *p == 1) {
      p += *p ? 9 : 1;
      p += 2 + number(p, 2);
      parse(p + 2, number(p, 2));
      p += 2 + number(p, 2);
    } else if (*p == 2) {
      auto frame = p + 5 + number(p + 1, 4);
      for (p += 5; p + 3 <= frame; p += 3 + number(p + 1, 2)) {
        if (*p == 2) parse(p + 3, number(p + 1, 2));
      }
    } else {
      fprintf(stderr, "no frame at %zu\n", size_t(p - bytes));
      return 1;
    }
  }
  printf("%zu frames, %zu bad, %zu with an alert\n", frames, bad, alerts);
}
