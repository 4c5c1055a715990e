// canaletto: a simulated solid-state drive that other simulators step.
//
// Made by cbindgen of crates/canaletto-c; not to be edited.
//
// Requests are submitted, simulated time goes on, completions are taken. Times are whole picoseconds. The same requests
// complete at the same times as in `canaletto run`, whether they are submitted long before their time or just before time
// reaches it. A request that is submitted at the time that the drive has reached comes after all else that is due then.
//
// A drive serves one thread at a time, and refuses a second one with CANALETTO_BUSY; drives are independent of each other, and
// may be used by different threads at once. A closed drive refuses every call.
// canaletto_last_error is each thread's own. No call ends the program, throws, or keeps a pointer that it was given.

#ifndef CANALETTO_H
#define CANALETTO_H

#include <stddef.h>
#include <stdint.h>


// Version of this interface. It grows with every change that breaks a program that was compiled with an older header.
#define CANALETTO_ABI 1

// Flag of a write that is complete only once it is on flash (force unit access).
#define CANALETTO_FUA 1

// A moment that never comes.
#define CANALETTO_NEVER UINT64_MAX

// How a call went.
typedef enum canaletto_status {
  // Well.
  CANALETTO_OK = 0,
  // Something that is not allowed was given. Nothing has changed.
  CANALETTO_INVALID = 1,
  // The simulation cannot go on. The drive takes no more requests.
  CANALETTO_FAILED = 2,
  // The engine has a defect. The drive takes no more requests.
  CANALETTO_DEFECT = 3,
  // Another call is using the drive: a drive serves one thread at a time. Nothing has changed.
  CANALETTO_BUSY = 4,
} canaletto_status;

// Operation of a request.
typedef enum canaletto_operation {
  // Read sectors.
  CANALETTO_READ = 0,
  // Write sectors.
  CANALETTO_WRITE = 1,
  // Forget sectors (Dataset Management with the Deallocate attribute).
  CANALETTO_TRIM = 2,
  // Put on flash what was written before. Has no sectors.
  CANALETTO_FLUSH = 3,
  // Write zeroes, without data on the link.
  CANALETTO_WRITE_ZEROES = 4,
  // Write sectors at the write pointer of the zone that begins at `lba` (Zone Append).
  CANALETTO_APPEND = 5,
  // Empty the zone that begins at `lba` (Reset Zone). Has no sectors, as the commands below.
  CANALETTO_RESET = 6,
  // Make a zone full (Finish Zone).
  CANALETTO_FINISH = 7,
  // Open a zone (Open Zone).
  CANALETTO_OPEN = 8,
  // Close a zone (Close Zone).
  CANALETTO_CLOSE = 9,
} canaletto_operation;

// A drive with its host link and queues, at some moment of simulated time.
typedef struct canaletto_drive canaletto_drive;

// A request that is complete.
typedef struct canaletto_completion {
  // Tag with which it was submitted.
  uint64_t tag;
  // When the host wanted it, in picoseconds.
  uint64_t arrival_ps;
  // When it entered the submission queue, in picoseconds.
  uint64_t enqueued_ps;
  // When the host had dealt with its completion, in picoseconds.
  uint64_t completed_ps;
  // 1 if it was completed with an error status, else 0.
  uint32_t failed;
} canaletto_completion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of this interface that the library has, to be compared with CANALETTO_ABI.
uint32_t canaletto_abi(void);

// Returns the version of canaletto.
const char *canaletto_version(void);

// Returns why this thread's last call that went wrong did. The text lives until the thread's next such call.
const char *canaletto_last_error(void);

// Makes a drive at time zero.
//
// `name` is that of a preset, or of `toml` in messages; `toml` is the text of a design's file, or null. `settings` are
// `count` texts "key=value" that change it. The drive is in the state that its design asks for; a preconditioned one was
// written evenly.
//
// # Safety
// Texts end with a zero, `settings` has `count` of them, and `drive` can be written to.
enum canaletto_status canaletto_open(const char *name,
                                     const char *toml,
                                     const char *const *settings,
                                     size_t count,
                                     uint64_t seed,
                                     struct canaletto_drive **drive);

// Ends a drive, unless another call is using it. Null is none. Later calls with the drive are refused.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore.
enum canaletto_status canaletto_close(struct canaletto_drive *drive);

// Returns the sectors of 512 B that requests can address; 0 if it is none.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null.
uint64_t canaletto_sectors(const struct canaletto_drive *drive);

// Returns the simulated time that the drive has reached, in picoseconds; 0 if it is none.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null.
uint64_t canaletto_now(const struct canaletto_drive *drive);

// Returns how many requests are submitted and not complete; 0 if it is none.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null.
uint64_t canaletto_outstanding(struct canaletto_drive *drive);

// Submits a request that arrives at `at_ps`, now or later. Requests that arrive at the same time keep their order. Nothing
// happens before time goes on.
//
// `operation` is one of canaletto_operation, `flags` 0 or, of writes, CANALETTO_FUA. `tag` comes back with the completion, and need not be
// unique.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null.
enum canaletto_status canaletto_submit(struct canaletto_drive *drive,
                                       uint64_t at_ps,
                                       uint32_t operation,
                                       uint32_t flags,
                                       uint64_t lba,
                                       uint32_t sectors,
                                       uint64_t tag);

// Returns when something happens next inside the drive, in picoseconds, if no request comes before; CANALETTO_NEVER if
// nothing does.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null.
uint64_t canaletto_next_event(struct canaletto_drive *drive);

// Lets simulated time go on to `until_ps`: everything has happened that is due then or before.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null.
enum canaletto_status canaletto_advance_to(struct canaletto_drive *drive, uint64_t until_ps);

// Lets simulated time go on until a request is complete, but not beyond `limit_ps`. `found` becomes 1 if one is, else 0; it
// may be null.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null, and `found` can be written to.
enum canaletto_status canaletto_advance_to_completion(struct canaletto_drive *drive,
                                                      uint64_t limit_ps,
                                                      uint32_t *found);

// Takes up to `room` requests that are complete, in the order of their completion, and returns how many.
//
// `blame_ps` is null, or has room for `room` times canaletto_causes() numbers: for each request, the picoseconds that each
// cause took of the time between arrival and completion.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null; `completions` and `blame_ps` can be written to so far.
size_t canaletto_take(struct canaletto_drive *drive,
                      struct canaletto_completion *completions,
                      uint64_t *blame_ps,
                      size_t room);

// Returns the number of causes of latency.
size_t canaletto_causes(void);

// Returns the name of a cause, as in results; null from canaletto_causes() on. The text lives for ever.
const char *canaletto_cause(size_t cause);

// Gives the results so far as JSON, with the fields of `canaletto run --json`, as if the run had ended now. The text is to be
// freed with canaletto_free_text.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null, and `json` can be written to.
enum canaletto_status canaletto_results(struct canaletto_drive *drive,
                                        char **json);

// Gives a drive at this moment as bytes, from which canaletto_restore continues as the drive does. Requests that are submitted
// are part of it, completions that wait to be taken after others were are not: they are to be taken first. The bytes are to be
// freed with canaletto_free_bytes.
//
// # Safety
// `drive` comes from canaletto_open or canaletto_restore, or is null, and `bytes` and `length` can be written to.
enum canaletto_status canaletto_snapshot(struct canaletto_drive *drive,
                                         uint8_t **bytes,
                                         size_t *length);

// Makes a drive of a snapshot, which has its design. It repeats what the drive was told, and takes as long as that took.
//
// # Safety
// `bytes` has `length` bytes, and `drive` can be written to.
enum canaletto_status canaletto_restore(const uint8_t *bytes,
                                        size_t length,
                                        struct canaletto_drive **drive);

// Frees the `length` bytes of a snapshot. Null is none.
//
// # Safety
// `bytes` and `length` come from canaletto_snapshot, and are not used afterwards.
void canaletto_free_bytes(uint8_t *bytes, size_t length);

// Frees a text. Null is none.
//
// # Safety
// `text` comes from canaletto_results, and is not used afterwards.
void canaletto_free_text(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CANALETTO_H */
