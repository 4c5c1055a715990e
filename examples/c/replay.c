// Replays requests on a simulated drive, each submitted just before its time comes.
//
//   replay DESIGN REQUESTS [KEY=VALUE…]
//
// REQUESTS is a file with a line `arrival_ps operation lba sectors` for each request, in order of arrival; operations are
// those of canaletto.h. Prints a line `number completed_ps` for each, in order of completion.

#include <canaletto.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROOM 64

static int fail(const char *what) {
  fprintf(stderr, "replay: %s: %s\n", what, canaletto_last_error());
  return 2;
}

static void print_completions(canaletto_drive *drive) {
  canaletto_completion done[ROOM];
  for (size_t taken; (taken = canaletto_take(drive, done, NULL, ROOM)) > 0;) {
    for (size_t i = 0; i < taken; i++) {
      printf("%" PRIu64 " %" PRIu64 "\n", done[i].tag, done[i].completed_ps);
    }
  }
}

// Lets time go on up to the last moment before `until_ps`, so that a request that arrives then keeps its place.
static canaletto_status go_on_before(canaletto_drive *drive, uint64_t until_ps) {
  for (uint64_t due; (due = canaletto_next_event(drive)) < until_ps;) {
    canaletto_status status = canaletto_advance_to(drive, due);
    if (status != CANALETTO_OK) {
      return status;
    }
    print_completions(drive);
  }
  return CANALETTO_OK;
}

static int replay(canaletto_drive *drive, FILE *requests) {
  uint64_t arrival_ps, lba, number = 0;
  uint32_t operation, sectors;
  char line[128], rest;
  while (fgets(line, sizeof line, requests) != NULL) {
    // Numbers that are too long leave digits for the next field, so that there is one field too many.
    int fields = sscanf(line, "%19" SCNu64 " %9" SCNu32 " %19" SCNu64 " %9" SCNu32 " %c", &arrival_ps, &operation, &lba, &sectors, &rest);
    const int is_whole = strchr(line, '\n') != NULL || feof(requests);
    if (fields != 4 || strchr(line, '-') != NULL || !is_whole) {
      fprintf(stderr, "replay: line %" PRIu64 ": got \"%.*s\", expected `arrival_ps operation lba sectors`\n", number + 1, (int)strcspn(line, "\r\n"), line);
      return 2;
    }
    if (go_on_before(drive, arrival_ps) != CANALETTO_OK ||
        canaletto_submit(drive, arrival_ps, operation, 0, lba, sectors, number++) != CANALETTO_OK) {
      return fail("request");
    }
  }
  if (ferror(requests)) {
    perror("replay: requests");
    return 2;
  }
  while (canaletto_outstanding(drive) > 0) {
    if (canaletto_advance_to_completion(drive, UINT64_C(1) << 63, NULL) != CANALETTO_OK) {
      return fail("simulation");
    }
    print_completions(drive);
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("replay: standard output");
    return 2;
  }
  return 0;
}

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "usage: replay DESIGN REQUESTS [KEY=VALUE…]\n");
    return 2;
  }
  if (canaletto_abi() != CANALETTO_ABI) {
    fprintf(stderr, "replay: compiled for version %d of the interface, the library has %" PRIu32 "\n", CANALETTO_ABI, canaletto_abi());
    return 2;
  }
  FILE *requests = fopen(words[2], "r");
  if (requests == NULL) {
    perror(words[2]);
    return 2;
  }
  canaletto_drive *drive = NULL;
  const char *const *settings = (const char *const *)(words + 3);
  int status = canaletto_open(words[1], NULL, settings, (size_t)count - 3, 1, &drive) == CANALETTO_OK ? replay(drive, requests) : fail("design");
  canaletto_close(drive);
  fclose(requests);
  return status;
}
