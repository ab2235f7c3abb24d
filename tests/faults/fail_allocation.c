/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before a program's libraries (LD_PRELOAD, glibc), makes allocations fail from the beginning of its main() on: the one of number
 * FAIL_AT, and with FAIL_FROM each after it too. Writes how many there were to the file FAIL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

typedef int Main(int, char**, char**);
typedef int StartMain(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

static long fail_at = -1, count = 0;
static int all_after = 0, begun = 0;
static Main* program;

static int fails(void) {
  long number;
  if (!begun) return 0;
  number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (fail_at < 0 || (all_after ? number < fail_at : number != fail_at)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t items, size_t size) { return fails() ? NULL : __libc_calloc(items, size); }
void* realloc(void* memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void* memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

static int counted_main(int arguments, char** words, char** environment) {
  const char* at = getenv("FAIL_AT");
  const char* file = getenv("FAIL_COUNT");
  int status, descriptor;
  if (at != NULL) fail_at = atol(at);
  all_after = getenv("FAIL_FROM") != NULL;
  unsetenv("LD_PRELOAD"); /* programs that it starts have memory */
  begun = 1;
  status = program(arguments, words, environment);
  begun = 0;
  descriptor = file == NULL ? -1 : open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (descriptor >= 0) {
    dprintf(descriptor, "%ld\n", count);
    close(descriptor);
  }
  return status;
}

int __libc_start_main(Main* main, int arguments, char** words, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void* stack_end) {
  StartMain* start = (StartMain*)dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return start(counted_main, arguments, words, init, fini, loader_fini, stack_end);
}
