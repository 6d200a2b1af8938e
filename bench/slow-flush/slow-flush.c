// Loaded into a process with LD_PRELOAD, makes its disk slow: every flush takes SLOW_FLUSH_US microseconds longer. A
// flush is an fdatasync or fsync, or a write to a file that was opened to be flushed with every write.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

static void delay(void) {
  static long microseconds = -1;
  if (microseconds < 0) {
    const char *text = getenv("SLOW_FLUSH_US");
    microseconds = text == NULL ? 0 : atol(text);
  }
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&time, &time) != 0) {
  }
}

static int flushes_writes(int file) {
  int flags = fcntl(file, F_GETFL);
  return flags != -1 && (flags & O_DSYNC) != 0;
}

int fdatasync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return real(file);
}

int fsync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  // A program may flush its output, which is no disk.
  if (file > 2) delay();
  return real(file);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (real == NULL) real = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  if (flushes_writes(file)) delay();
  return real(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (real == NULL) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  if (flushes_writes(file)) delay();
  return real(file, bytes, count, offset);
}
