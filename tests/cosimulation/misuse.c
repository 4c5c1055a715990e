// Calls that must be refused, each with a status and a text. Says what was not, and ends with 1.

#include <canaletto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void expect(canaletto_status got, canaletto_status wanted, const char *text, int line) {
  if (got != wanted || strstr(canaletto_last_error(), text) == NULL) {
    fprintf(stderr, "line %d: status %d, expected %d: %s\n", line, got, wanted, canaletto_last_error());
    wrong = 1;
  }
}
#define REFUSED(call, text) expect(call, CANALETTO_INVALID, text, __LINE__)

static atomic_int busy_calls = 0, is_done = 0;

// Calls a drive that another thread makes go on, until it is refused often enough or the other one is done.
static void *interfere(void *drive) {
  while (busy_calls < 100 && !is_done) {
    canaletto_status status = canaletto_submit(drive, 0, CANALETTO_READ, CANALETTO_FUA + 1, 0, 8, 0);
    if (status != CANALETTO_INVALID) {
      fprintf(stderr, "a wrong flag: status %d\n", status);
      wrong = 1;
    }
    status = canaletto_advance_to(drive, 0);
    if (status == CANALETTO_BUSY) {
      expect(status, CANALETTO_BUSY, "another call", __LINE__);
      expect(canaletto_close(drive), CANALETTO_BUSY, "another call", __LINE__);
      busy_calls++;
    }
  }
  return NULL;
}

static void two_threads(void) {
  canaletto_drive *drive = NULL;
  pthread_t other;
  if (canaletto_open("performance-optimized", NULL, NULL, 0, 1, &drive) != CANALETTO_OK) {
    wrong = 1;
    return;
  }
  for (uint64_t i = 0; i < 50000; i++) {
    canaletto_submit(drive, 1 + 1000000 * i, CANALETTO_READ, 0, 8 * i, 8, i);
  }
  pthread_create(&other, NULL, interfere, drive);
  // The other thread may be using the drive just now: then this one is refused.
  canaletto_status status = CANALETTO_BUSY;
  while (status == CANALETTO_BUSY && busy_calls == 0) {
    status = canaletto_advance_to(drive, UINT64_C(80000000000));
  }
  is_done = 1;
  pthread_join(other, NULL);
  if (status != CANALETTO_OK || busy_calls == 0 || canaletto_outstanding(drive) != 0 || canaletto_close(drive) != CANALETTO_OK) {
    fprintf(stderr, "two threads: status %d, %d calls were refused, %s\n", status, busy_calls, canaletto_last_error());
    wrong = 1;
  }
}

static void after_close(canaletto_drive *drive) {
  canaletto_completion done;
  char *json = NULL;
  uint8_t *bytes = NULL;
  size_t length = 0;
  uint32_t found = 0;
  REFUSED(canaletto_submit(drive, 0, CANALETTO_READ, 0, 0, 8, 0), "closed");
  REFUSED(canaletto_advance_to(drive, 5000), "closed");
  REFUSED(canaletto_advance_to_completion(drive, 5000, &found), "closed");
  REFUSED(canaletto_results(drive, &json), "closed");
  REFUSED(canaletto_snapshot(drive, &bytes, &length), "closed");
  REFUSED(canaletto_close(drive), "closed");
  if (canaletto_sectors(drive) != 0 || canaletto_now(drive) != 0 || canaletto_outstanding(drive) != 0 ||
      canaletto_next_event(drive) != CANALETTO_NEVER || canaletto_take(drive, &done, NULL, 1) != 0) {
    fprintf(stderr, "a closed drive answers\n");
    wrong = 1;
  }
  uint64_t something[8] = {0};
  REFUSED(canaletto_advance_to((canaletto_drive *)something, 0), "not a drive");
  REFUSED(canaletto_advance_to((canaletto_drive *)((char *)something + 1), 0), "not a drive");
}

int main(void) {
  canaletto_drive *drive = NULL;
  const char *settings[] = {"fabric.kind=vencie"};
  REFUSED(canaletto_open(NULL, NULL, NULL, 0, 1, &drive), "null");
  REFUSED(canaletto_open("performance-optimized", NULL, NULL, 1, 1, &drive), "null");
  REFUSED(canaletto_open("performance-optimized", NULL, NULL, 0, 1, NULL), "null");
  REFUSED(canaletto_open("nonesuch", NULL, NULL, 0, 1, &drive), "nonesuch");
  REFUSED(canaletto_open("\xff", NULL, NULL, 0, 1, &drive), "utf-8");
  REFUSED(canaletto_open("performance-optimized", NULL, settings, 1, 1, &drive), "vencie");
  REFUSED(canaletto_open("mine", "name = ", NULL, 0, 1, &drive), "mine");
  REFUSED(canaletto_submit(NULL, 0, CANALETTO_READ, 0, 0, 8, 0), "null");
  REFUSED(canaletto_advance_to(NULL, 0), "null");
  if (drive != NULL || canaletto_sectors(NULL) != 0 || canaletto_next_event(NULL) != CANALETTO_NEVER) {
    fprintf(stderr, "null is a drive\n");
    return 1;
  }
  if (canaletto_open("performance-optimized", NULL, NULL, 0, 1, &drive) != CANALETTO_OK) {
    fprintf(stderr, "%s\n", canaletto_last_error());
    return 1;
  }
  REFUSED(canaletto_submit(drive, 0, 11, 0, 0, 8, 0), "operation 11");
  REFUSED(canaletto_submit(drive, 0, CANALETTO_WRITE, 8, 0, 8, 0), "flags 8");
  for (uint32_t operation = CANALETTO_READ; operation <= CANALETTO_FLUSH; operation++) {
    if (operation != CANALETTO_WRITE) {
      REFUSED(canaletto_submit(drive, 0, operation, CANALETTO_FUA, 0, 8, 0), "flags 1");
    }
  }
  REFUSED(canaletto_submit(drive, 0, CANALETTO_READ, 0, 0, 0, 0), "no sectors");
  REFUSED(canaletto_submit(drive, 0, CANALETTO_READ, 0, canaletto_sectors(drive), 1, 0), "do not exist");
  REFUSED(canaletto_submit(drive, CANALETTO_NEVER, CANALETTO_READ, 0, 0, 8, 0), "too late");
  if (canaletto_advance_to(drive, 1000) != CANALETTO_OK) {
    return 1;
  }
  REFUSED(canaletto_submit(drive, 999, CANALETTO_READ, 0, 0, 8, 0), "past");
  REFUSED(canaletto_advance_to(drive, 999), "reached");
  REFUSED(canaletto_advance_to(drive, CANALETTO_NEVER), "reached");
  REFUSED(canaletto_results(drive, NULL), "null");
  if (canaletto_outstanding(drive) != 0 || canaletto_now(drive) != 1000 || canaletto_take(drive, NULL, NULL, 0) != 0 ||
      canaletto_cause(canaletto_causes()) != NULL || strcmp(canaletto_cause(0), "host_queue") != 0) {
    fprintf(stderr, "a refused call left something behind\n");
    wrong = 1;
  }
  char *json = NULL;
  if (canaletto_results(drive, &json) != CANALETTO_OK || strstr(json, "\"seed\":1") == NULL) {
    fprintf(stderr, "no results\n");
    wrong = 1;
  }
  canaletto_free_text(json);
  canaletto_drive *again = NULL;
  uint8_t *bytes = NULL;
  size_t length = 0;
  REFUSED(canaletto_snapshot(drive, NULL, &length), "null");
  REFUSED(canaletto_restore(NULL, 0, &again), "null");
  REFUSED(canaletto_restore((const uint8_t *)"something else", 14, &again), "not a snapshot");
  if (canaletto_snapshot(drive, &bytes, &length) != CANALETTO_OK) {
    return 1;
  }
  REFUSED(canaletto_restore(bytes, length - 1, &again), "damaged");
  if (again != NULL || canaletto_restore(bytes, length, &again) != CANALETTO_OK || canaletto_now(again) != 1000) {
    fprintf(stderr, "a snapshot is not what it was: %s\n", canaletto_last_error());
    wrong = 1;
  }
  canaletto_free_bytes(bytes, length);
  canaletto_free_bytes(NULL, 0);
  canaletto_close(again);
  canaletto_free_text(NULL);
  if (canaletto_close(drive) != CANALETTO_OK || canaletto_close(NULL) != CANALETTO_OK) {
    fprintf(stderr, "a drive is not closed\n");
    wrong = 1;
  }
  after_close(drive);
  two_threads();
  return wrong;
}
