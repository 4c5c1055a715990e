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


// Version of this interface. It grows with every change that breaks programs compiled with an older header.
#define CANALETTO_ABI 2

// Flag of a write that must be on flash before it is complete (force unit access).
#define CANALETTO_FUA 1

// Where the reclaim unit handle of a write, or of an update, begins in its flags: `handle << CANALETTO_HANDLE`.
#define CANALETTO_HANDLE 16

// A moment that never comes.
#define CANALETTO_NEVER UINT64_MAX

// Result of a call.
typedef enum canaletto_status {
  // Well.
  CANALETTO_OK = 0,
  // A given value is not allowed. Nothing has changed.
  CANALETTO_INVALID = 1,
  // The simulation cannot continue. The drive takes no more requests.
  CANALETTO_FAILED = 2,
  // The engine has a defect. The drive takes no more requests.
  CANALETTO_DEFECT = 3,
  // Another thread is using the drive. Nothing has changed.
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
  // Put earlier writes on flash, without sectors.
  CANALETTO_FLUSH = 3,
  // Write zeroes, without data on the link.
  CANALETTO_WRITE_ZEROES = 4,
  // Write sectors at the write pointer of the zone that begins at `lba` (Zone Append).
  CANALETTO_APPEND = 5,
  // Empty the zone that begins at `lba` (Reset Zone), without sectors, like the commands below.
  CANALETTO_RESET = 6,
  // Make a zone full (Finish Zone).
  CANALETTO_FINISH = 7,
  // Open a zone (Open Zone).
  CANALETTO_OPEN = 8,
  // Close a zone (Close Zone).
  CANALETTO_CLOSE = 9,
  // Have a reclaim unit handle take another unit (Reclaim Unit Handle Update), without sectors.
  CANALETTO_HANDLE_UPDATE = 10,
} canaletto_operation;

// A drive with its host link and queues, at some moment of simulated time.
typedef struct canaletto_drive canaletto_drive;

// A complete request.
typedef struct canaletto_completion {
  // Tag of its submission.
  uint64_t tag;
  // When it arrived at the host, in picoseconds.
  uint64_t arrival_ps;
  // When it entered the submission queue, in picoseconds.
  uint64_t enqueued_ps;
  // When the host had handled its completion, in picoseconds.
  uint64_t completed_ps;
  // First sector; of an append, the one that it was given.
  uint64_t lba;
  // Status code of NVM Express; 0 is success.
  uint32_t status;
} canaletto_completion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of the library's interface, to compare with CANALETTO_ABI.
uint32_t canaletto_abi(void);

// Version of canaletto.
const char *canaletto_version(void);

// Why this thread's last failed call failed. The text lives until its next failed call.
const char *canaletto_last_error(void);

// Makes a drive at time zero.
//
// `name` is a preset's name or, with `toml`, a name for messages; `toml` is the text of a design's file, or null.
// `settings` are `count` texts "key=value" that change it. The drive is in the state that its design asks for; a
// preconditioned one was written evenly.
//
// # Safety
// Texts end with a zero, `settings` has `count` of them, and `drive` can be written to.
enum canaletto_status canaletto_open(const char *name,
                                     const char *toml,
                                     const char *const *settings,
                                     size_t count,
                                     uint64_t seed,
                                     struct canaletto_drive **drive);

// Ends a drive, unless another call is using it. Null has no effect. Later calls with the drive are refused.
//
// # Safety
// `drive` comes from this library.
enum canaletto_status canaletto_close(struct canaletto_drive *drive);

// Sectors of 512 B that requests can address; 0 without a drive.
//
// # Safety
// `drive` is null or comes from this library.
uint64_t canaletto_sectors(const struct canaletto_drive *drive);

// Simulated time that the drive has reached, in picoseconds; 0 without a drive.
//
// # Safety
// `drive` is null or comes from this library.
uint64_t canaletto_now(const struct canaletto_drive *drive);

// Number of submitted requests that are not complete; 0 without a drive.
//
// # Safety
// `drive` is null or comes from this library.
uint64_t canaletto_outstanding(struct canaletto_drive *drive);

// Submits a request that arrives at `at_ps`, now or later. Requests of one time keep their order. Nothing happens
// before time advances.
//
// `operation` is one of canaletto_operation; `flags` is 0, or CANALETTO_FUA and a handle for a write. `tag` comes back with the
// completion, and need not be unique.
//
// # Safety
// `drive` is null or comes from this library.
enum canaletto_status canaletto_submit(struct canaletto_drive *drive,
                                       uint64_t at_ps,
                                       uint32_t operation,
                                       uint32_t flags,
                                       uint64_t lba,
                                       uint32_t sectors,
                                       uint64_t tag);

// Time of the next event inside the drive, in picoseconds, if no request comes before; CANALETTO_NEVER if there is
// none.
//
// # Safety
// `drive` is null or comes from this library.
uint64_t canaletto_next_event(struct canaletto_drive *drive);

// Advances simulated time to `until_ps`, events due then included.
//
// # Safety
// `drive` is null or comes from this library.
enum canaletto_status canaletto_advance_to(struct canaletto_drive *drive, uint64_t until_ps);

// Advances simulated time until a request is complete, at most to `limit_ps`. `found` becomes 1 if one is, else 0; it
// may be null.
//
// # Safety
// `drive` is null or comes from this library, and `found` can be written to.
enum canaletto_status canaletto_advance_to_completion(struct canaletto_drive *drive,
                                                      uint64_t limit_ps,
                                                      uint32_t *found);

// Takes up to `room` complete requests, in the order of completion, and returns how many.
//
// `blame_ps` is null, or has room for `room` times canaletto_causes() numbers: for each request, the picoseconds of
// each cause.
//
// # Safety
// `drive` is null or comes from this library; `completions` and `blame_ps` have this room.
size_t canaletto_take(struct canaletto_drive *drive,
                      struct canaletto_completion *completions,
                      uint64_t *blame_ps,
                      size_t room);

// Number of causes of latency.
size_t canaletto_causes(void);

// Name of a cause, as in results; null from canaletto_causes() on. The text lives for ever.
const char *canaletto_cause(size_t cause);

// Results so far as JSON, with the fields of `canaletto run --json`. Free the text with canaletto_free_text.
//
// # Safety
// `drive` is null or comes from this library, and `json` can be written to.
enum canaletto_status canaletto_results(struct canaletto_drive *drive, char **json);

// A drive at this moment as bytes, from which canaletto_restore continues. Submitted requests are part of it. Take
// waiting completions first: they are not. Free the bytes with canaletto_free_bytes.
//
// # Safety
// `drive` is null or comes from this library; `bytes` and `length` can be written to.
enum canaletto_status canaletto_snapshot(struct canaletto_drive *drive, uint8_t **bytes, size_t *length);

// Makes a drive of a snapshot, which has its design. It repeats the drive's requests, and takes as long as they took.
//
// # Safety
// `bytes` has `length` bytes, and `drive` can be written to.
enum canaletto_status canaletto_restore(const uint8_t *bytes, size_t length, struct canaletto_drive **drive);

// Frees the `length` bytes of a snapshot. Null has no effect.
//
// # Safety
// `bytes` and `length` come from canaletto_snapshot, and are not used afterwards.
void canaletto_free_bytes(uint8_t *bytes, size_t length);

// Frees a text. Null has no effect.
//
// # Safety
// `text` comes from canaletto_results, and is not used afterwards.
void canaletto_free_text(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CANALETTO_H */
