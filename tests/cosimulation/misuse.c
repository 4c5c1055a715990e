// Calls that must be refused, each with a status and a text. Says what was not, and ends with 1.

#include <canaletto.h>
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
  REFUSED(canaletto_submit(drive, 0, 9, 0, 0, 8, 0), "operation 9");
  REFUSED(canaletto_submit(drive, 0, CANALETTO_WRITE, 8, 0, 8, 0), "flags 8");
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
  canaletto_close(drive);
  canaletto_close(NULL);
  return wrong;
}
